// Walks from presign to masks by the client that openapi-generator makes for Go.
//
// Arguments: a PNG file, what to look for in it, a folder for the masks. Prints the job's id and what the model's prompts may be.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"

	segmentation "github.com/example/segmentation"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func answer[T any](value T, _ *http.Response, err error) T { return must(value, err) }

func main() {
	picture, prompt, folder := os.Args[1], os.Args[2], os.Args[3]
	settings := segmentation.NewConfiguration()
	settings.Servers = segmentation.ServerConfigurations{{URL: os.Getenv("SEGMENTATION_BASE_URL")}}
	client := segmentation.NewAPIClient(settings)
	key := os.Getenv("SEGMENTATION_API_KEY")
	ctx := context.WithValue(context.Background(), segmentation.ContextAccessToken, key)
	vocabulary := answer(client.ModelAPI.RetrieveModel(ctx).Execute()).Vocabulary.String

	wanted := segmentation.NewPresignRequest("image/png")
	upload := answer(client.UploadsAPI.CreateUploadPresign(ctx).PresignRequest(*wanted).Execute())
	file := must(os.ReadFile(picture))
	put := must(http.NewRequest(http.MethodPut, upload.UploadUrl, bytes.NewReader(file)))
	put.Header.Set("Content-Type", "image/png")
	must(http.DefaultClient.Do(put)).Body.Close()

	image := segmentation.NewImageJobRequest("image", []string{upload.TaskId})
	image.Prompts = []string{prompt}
	request := segmentation.ImageJobRequestAsCreateJobRequest(image)
	jobId := answer(client.JobsAPI.CreateJob(ctx).CreateJobRequest(request).IdempotencyKey("go").Execute()).JobId
	status := segmentation.STATUS_QUEUED
	for status == segmentation.STATUS_QUEUED || status == segmentation.STATUS_PROCESSING {
		status = answer(client.JobsAPI.RetrieveJob(ctx, jobId).Prefer("wait=60").Execute()).Status
	}
	list := answer(client.JobsAPI.ListJobs(ctx).Limit(1).Status(segmentation.STATUS_SUCCESS).Execute())
	if list.Items[0].JobId != jobId {
		log.Fatal("the list does not begin with the job")
	}

	result := answer(client.JobsAPI.RetrieveJobResult(ctx, jobId).Execute())
	for _, mask := range result.Manifest.ImageManifest.Items[0].Masks {
		response := must(http.Get(mask.Url))
		name := filepath.Join(folder, fmt.Sprintf("%d.png", mask.MaskIndex))
		if err := os.WriteFile(name, must(io.ReadAll(response.Body)), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(jobId, *vocabulary)
}
