import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.api.ModelApi;
import org.openapitools.client.api.UploadsApi;
import org.openapitools.client.model.CreateJobRequest;
import org.openapitools.client.model.ImageJobRequest;
import org.openapitools.client.model.PresignRequest;
import org.openapitools.client.model.Status;

/**
 * Walks from presign to masks by the client that openapi-generator makes for Java.
 *
 * <p>Arguments: a PNG file, what to look for in it, a folder for the masks. Prints the job's id and what the model's prompts may be.
 */
public final class Walk {
  public static void main(String[] args) throws Exception {
    var client = new ApiClient().setBasePath(System.getenv("SEGMENTATION_BASE_URL")).setReadTimeout(90_000);
    client.setBearerToken(System.getenv("SEGMENTATION_API_KEY"));
    var jobs = new JobsApi(client);
    var http = HttpClient.newHttpClient();
    var vocabulary = new ModelApi(client).retrieveModel().getVocabulary().getActualInstance();

    var upload = new UploadsApi(client).createUploadPresign(new PresignRequest().contentType("image/png"));
    var put = HttpRequest.newBuilder(upload.getUploadUrl())
        .header("Content-Type", "image/png")
        .PUT(HttpRequest.BodyPublishers.ofFile(Path.of(args[0])))
        .build();
    http.send(put, BodyHandlers.discarding());

    var request = new ImageJobRequest()
        .type(ImageJobRequest.TypeEnum.IMAGE)
        .prompts(List.of(args[1]))
        .addTasksItem(upload.getTaskId());
    var jobId = jobs.createJob(new CreateJobRequest(request), "java").getJobId();
    var status = Status.QUEUED;
    while (status == Status.QUEUED || status == Status.PROCESSING)
      status = jobs.retrieveJob(jobId, null, "wait=60").getStatus();
    var list = jobs.listJobs(1, null, null, null, null, Status.SUCCESS);
    if (!list.getItems().get(0).getJobId().equals(jobId))
      throw new IllegalStateException("the list does not begin with the job");

    var manifest = jobs.retrieveJobResult(jobId, null).getManifest().getImageManifest();
    for (var mask : manifest.getItems().get(0).getMasks()) {
      var get = HttpRequest.newBuilder(mask.getUrl()).build();
      http.send(get, BodyHandlers.ofFile(Path.of(args[2], mask.getMaskIndex() + ".png")));
    }
    System.out.println(jobId + " " + vocabulary);
  }
}
