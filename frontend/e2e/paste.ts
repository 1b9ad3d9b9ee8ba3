import type { Page } from 'playwright-core';

/** Pastes a drawn picture into a field, as a person would. side is its size in points. */
export async function pastePicture(page: Page, field: string, name: string, side = 320): Promise<void> {
  await page
    .locator(field)
    .first()
    .evaluate(
      async (el, { name, side }) => {
        const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side * 0.625 });
        const pen = canvas.getContext('2d')!;
        pen.fillStyle = '#7aa2c8';
        pen.fillRect(0, 0, side, side);
        pen.fillStyle = '#e8c07a';
        pen.fillRect(side / 8, side / 5, side / 3, side / 4);
        // Noise keeps a large one large.
        const dots = pen.getImageData(0, 0, side, side > 1000 ? side * 0.6 : 1);
        for (let i = 0; i < dots.data.length; i += 4) {
          for (let c = 0; c < 3; c++) dots.data[i + c] = Math.random() * 256;
        }
        pen.putImageData(dots, 0, 0);
        const blob = await new Promise<Blob>((done) => canvas.toBlob((b) => done(b!)));
        const data = new DataTransfer();
        data.items.add(new File([blob], name, { type: 'image/png' }));
        el.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
      },
      { name, side },
    );
}
