/** Reads the next page while the present one is used, and never more than one. */
export async function* ahead<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = pages.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = pages.next();
      // A failure is told to the caller that asks for the page.
      next.catch(() => {});
      yield value;
    }
  } finally {
    // After the page that is being read.
    await pages.return(undefined);
  }
}
