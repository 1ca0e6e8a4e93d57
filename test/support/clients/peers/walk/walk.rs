//! Walks from presign to masks by the client that openapi-generator makes for Rust.
//!
//! Arguments: a PNG file, what to look for in it, a folder for the masks. Prints the job's id and what the model's prompts may be.

use openapi::apis::{configuration::Configuration, jobs_api, model_api, uploads_api};
use openapi::models::{
    image_job_request::Type, CreateJobRequest, ImageJobRequest, Manifest, ModelVocabulary, PresignRequest, Status,
};
use std::{env, error::Error, fs};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let mut settings = Configuration::new();
    settings.base_path = env::var("SEGMENTATION_BASE_URL")?;
    settings.bearer_access_token = Some(env::var("SEGMENTATION_API_KEY")?);
    let ModelVocabulary::String(vocabulary) = *model_api::retrieve_model(&settings).await?.vocabulary else {
        panic!("the model knows a list of words");
    };

    let wanted = PresignRequest::new("image/png".to_owned());
    let upload = uploads_api::create_upload_presign(&settings, wanted).await?;
    let file = fs::read(&arguments[1])?;
    let put = settings.client.put(&upload.upload_url).header("Content-Type", "image/png").body(file);
    put.send().await?.error_for_status()?;

    let mut request = ImageJobRequest::new(Type::Image, vec![upload.task_id]);
    request.prompts = Some(vec![arguments[2].clone()]);
    let request = CreateJobRequest::ImageJobRequest(Box::new(request));
    let job_id = jobs_api::create_job(&settings, request, Some("rust")).await?.job_id;
    let mut status = Status::Queued;
    while matches!(status, Status::Queued | Status::Processing) {
        status = jobs_api::retrieve_job(&settings, &job_id, None, Some("wait=60")).await?.status;
    }
    let list = jobs_api::list_jobs(&settings, Some(1), None, None, None, None, Some(Status::Success)).await?;
    assert_eq!(list.items[0].job_id, job_id);

    let Manifest::ImageManifest(manifest) = *jobs_api::retrieve_job_result(&settings, &job_id, None).await?.manifest else {
        panic!("not an image job's result");
    };
    for mask in &manifest.items[0].masks {
        let png = settings.client.get(&mask.url).send().await?.bytes().await?;
        fs::write(format!("{}/{}.png", arguments[3], mask.mask_index), png)?;
    }
    println!("{job_id} {vocabulary}");
    Ok(())
}
