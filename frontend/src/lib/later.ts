// Parts of the page that are loaded when they are needed.

const firstMS = 500;
const longestMS = 8000;

/**
 * Loads a part, and goes on trying where that fails, as it does while the back end
 * is away. What waits for it shows what it has meanwhile; a page that gave up
 * would take what somebody is writing along.
 */
export async function later<T>(load: () => Promise<T>): Promise<T> {
  for (let wait = firstMS; ; wait = Math.min(2 * wait, longestMS)) {
    try {
      return await load();
    } catch {
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}
