/** Files that systems put into folders by themselves. */
const isOfSystem = (name: string): boolean =>
  name.startsWith(".") || /^(?:thumbs\.db|desktop\.ini)$/i.test(name);

const order = new Intl.Collator("en", { numeric: true });

/** Returns a folder's files in the order of their names, without those of the system. */
export const ofFolder = (files: readonly File[]): File[] =>
  files
    .filter(({ name }) => !isOfSystem(name))
    .toSorted((a, b) => order.compare(a.webkitRelativePath || a.name, b.webkitRelativePath || b.name));

/** Returns the dropped files, including those in folders. A browser gives them only while it reports the drop. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<File[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return entries.some(({ isDirectory }) => isDirectory) ? allIn(entries) : [...files];
}

async function allIn(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const files: File[] = [];
  for (const entry of entries) {
    if (isFile(entry)) files.push(await new Promise<File>((resolve, reject) => entry.file(resolve, reject)));
    else if (isFolder(entry)) files.push(...(await allIn(await entriesOf(entry))));
  }
  return files;
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** A browser lists a folder in parts, at last an empty one. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) break;
    all.push(...part);
  }
  return all.filter(({ name }) => !isOfSystem(name)).toSorted((a, b) => order.compare(a.name, b.name));
}
