// Pictures as agents take them: four kinds, and no more bytes than they read.

/** Bytes of the largest picture that goes to the back end as it is. */
export const pictureLimit = 3 * 2 ** 20;

const kinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Pixels of the longer side when a picture is made smaller; models see no more. */
const longestSide = 2000;

/**
 * A picture as it can go out: as it is, or drawn anew when it is too large or of
 * another kind that this browser reads. null when it is no picture.
 */
export async function fit(file: Blob): Promise<Blob | null> {
  if (kinds.includes(file.type) && file.size <= pictureLimit) return file;
  if (!file.type.startsWith('image/')) return null;
  try {
    return await redraw(file);
  } catch {
    return null; // The browser can't read it, so nobody will see it either.
  }
}

async function redraw(file: Blob): Promise<Blob | null> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, longestSide / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const pen = canvas.getContext('2d');
  if (!pen) return null;
  // JPEG knows no transparency; what shows through is paper.
  pen.fillStyle = 'white';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const drawn = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.9));
  return drawn && drawn.size <= pictureLimit ? drawn : null;
}

/** The bytes in base64, as the back end takes them. */
export async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  // In pieces: a call takes no million arguments.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

/**
 * The files of a paste, when that is what was meant. Programs that copy text often
 * put a picture of it beside: then the text is meant.
 */
export function filesOf(data: DataTransfer | null): File[] {
  return data && data.getData('text/plain').trim() === '' ? Array.from(data.files) : [];
}
