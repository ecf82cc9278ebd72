/**
 * Whether the browser is about to print. The browser doesn't wait for asynchronous requests before it prints, so
 * requests for printing block the page.
 */
export const printing = { isStarting: false };

/** Requests `url` and blocks the page until the response arrives; undefined if there is no response. */
export function fetchForPrint(url: string): Response | undefined {
  const request = new XMLHttpRequest();
  try {
    request.open('GET', url, false);
    request.send();
    const lines = request.getAllResponseHeaders().trim().split('\r\n');
    const headers = lines.map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]);
    const response = new Response(null, { status: request.status, headers });
    // Only `json()` is provided, because the body of a `Response` would be read in a later task, after the page was
    // printed.
    return Object.assign(response, { json: async () => JSON.parse(request.responseText) as unknown });
  } catch {
    return undefined;
  }
}
