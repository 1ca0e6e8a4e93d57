/** Tells whether this browser reports which frame of a video is on the screen. Firefox does since version 132. */
export const reportsFrames = (): boolean => "requestVideoFrameCallback" in HTMLVideoElement.prototype;

/**
 * Reports the time of each frame that a video shows, in seconds. Returns what ends it. Where the browser doesn't report frames, the video's
 * clock has to do: it is exact while the video is paused, and may be a frame ahead of the screen while it plays.
 */
export const followFrames = (video: HTMLVideoElement, onFrame: (seconds: number) => void): (() => void) =>
  reportsFrames() ? followPresented(video, onFrame) : followClock(video, onFrame);

function followPresented(video: HTMLVideoElement, onFrame: (seconds: number) => void): () => void {
  const presented: VideoFrameRequestCallback = (_, { mediaTime }) => {
    request = video.requestVideoFrameCallback(presented);
    onFrame(mediaTime);
  };
  let request = video.requestVideoFrameCallback(presented);
  return () => video.cancelVideoFrameCallback(request);
}

/** For how many screen frames after an event the video may still show an earlier frame than it reports. */
const FRAMES_TO_CATCH_UP = 30;

function followClock(video: HTMLVideoElement, onFrame: (seconds: number) => void): () => void {
  const end = new AbortController();
  let request = 0;
  let left = 0;
  const report = (): void => {
    cancelAnimationFrame(request);
    left -= 1;
    if (!video.paused || left > 0) request = requestAnimationFrame(report);
    onFrame(video.currentTime);
  };
  const begin = (): void => {
    left = FRAMES_TO_CATCH_UP;
    report();
  };
  for (const name of ["loadeddata", "seeked", "play", "pause"])
    video.addEventListener(name, begin, { signal: end.signal });
  return () => {
    end.abort();
    cancelAnimationFrame(request);
  };
}
