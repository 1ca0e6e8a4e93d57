/** Whether this browser tells which frame of a video is on the screen. Firefox does since version 132. */
export const tellsFrames = (): boolean => "requestVideoFrameCallback" in HTMLVideoElement.prototype;

/**
 * Tells of each frame that a video shows: its time in seconds. Returns what ends it. Where the browser doesn't tell, the video's
 * clock has to do: it is exact while the video stands, and may be a frame ahead of the screen while it plays.
 */
export const followFrames = (video: HTMLVideoElement, onFrame: (seconds: number) => void): (() => void) =>
  tellsFrames() ? followPresented(video, onFrame) : followClock(video, onFrame);

function followPresented(video: HTMLVideoElement, onFrame: (seconds: number) => void): () => void {
  const presented: VideoFrameRequestCallback = (_, { mediaTime }) => {
    request = video.requestVideoFrameCallback(presented);
    onFrame(mediaTime);
  };
  let request = video.requestVideoFrameCallback(presented);
  return () => video.cancelVideoFrameCallback(request);
}

function followClock(video: HTMLVideoElement, onFrame: (seconds: number) => void): () => void {
  const end = new AbortController();
  let request = 0;
  const tell = (): void => {
    cancelAnimationFrame(request);
    if (!video.paused) request = requestAnimationFrame(tell);
    onFrame(video.currentTime);
  };
  for (const name of ["loadeddata", "seeked", "play", "pause"])
    video.addEventListener(name, tell, { signal: end.signal });
  return () => {
    end.abort();
    cancelAnimationFrame(request);
  };
}
