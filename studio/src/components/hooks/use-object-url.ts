import { useEffect, useState } from "preact/hooks";

/** A URL for a file that lasts as long as the component shows it; null without a file, and until the first effect. */
export function useObjectUrl(file: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = file === null ? null : URL.createObjectURL(file);
    setUrl(made);
    return () => {
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [file]);
  return url;
}
