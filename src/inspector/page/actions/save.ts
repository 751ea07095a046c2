/** Saves a text that the server makes of a run as a file. */
import type { Api, Document } from '../connection/api.ts'

const extensions: Readonly<Record<Document, string>> = {
  recording: 'json',
  mermaid: 'mmd',
  turtle: 'ttl',
}

/** `machine`: the chart to draw, of a `mermaid`. Rejects as the request does. */
export async function save(api: Api, runId: string, kind: Document, machine?: string): Promise<string> {
  const blob = await api.document(runId, kind, machine === undefined ? {} : { machine })
  const name = `${fileName(machine ?? runId)}.${extensions[kind]}`
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000) // a browser may begin to read it later
  return name
}

function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)
}
