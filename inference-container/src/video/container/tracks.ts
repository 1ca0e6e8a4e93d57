/** A video track, from a file's header. */
export interface VideoTrack {
  /** FFmpeg's specifier of the stream. */
  readonly specifier: string;
  /** True if players show it; in MP4 and MOV, a track may be hidden. */
  readonly isEnabled: boolean;
  readonly isEncrypted: boolean;
  /** True if each frame has a second picture with its transparency, as in VP8 and VP9. */
  readonly hasAlphaLayer: boolean;
  /** FFmpeg's filters that turn its frames upright. */
  readonly turn: readonly string[];
}

/** The header of a file. */
export interface Header {
  /** In the order of the file. */
  readonly videos: readonly VideoTrack[];
  readonly sounds: number;
  /** Subtitles, fonts and the like. */
  readonly others: number;
  /** The announced length in seconds; null if there is none, or another place has it. */
  readonly seconds: number | null;
}
