/**
 * Returns memory to the system at once. V8 collects a thread's whole heap whenever some 64 MB of buffers wait for it:
 * with a picture's tensors, once for each picture.
 */
export function freeBuffer(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
