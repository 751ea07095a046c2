/** Reads the body of a reply. The client would read it too, with a timer and a listener for each body. */

/**
 * Fulfils with the value of a JSON body, with `undefined` for an empty one, and with the text of a body of any other type.
 * Rejects with a `SyntaxError` for a body that is no JSON although its type says so.
 */
export async function readReply(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  return isJson(response) ? (JSON.parse(text) as unknown) : text
}

export function isJson({ headers }: Response): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type')?.trim() ?? '')
}
