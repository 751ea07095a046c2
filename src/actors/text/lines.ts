/** The lines of a body, as they arrive. The parts of a long line are joined once, when it ends. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let parts: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const [first = '', ...rest] = decoder.decode(value, { stream: !done }).split('\n')
      parts.push(first)
      for (const next of rest) {
        const line = parts.join('')
        parts = [next]
        if (line !== '') yield line
      }
      if (done) break
    }
    const last = parts.join('')
    if (last !== '') yield last
  } finally {
    await reader.cancel()
  }
}
