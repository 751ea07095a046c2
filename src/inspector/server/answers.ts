/** Answers to requests, and how they are written. */
import { toErrorData } from '../../kit/index.ts'
import { statusOf, headersOf } from '../../kit/wire/index.ts'
import type { ServerResponse } from 'node:http'
import type { StreamMessage } from '../wire/routes.ts'
import { safeHeaders } from './guard.ts'

/** An answer to a request. */
export type Answer =
  | { readonly json: unknown }
  | { readonly bytes: string | Uint8Array; readonly type: string; readonly name?: string }
  | { readonly lines: AsyncIterator<StreamMessage> }
  /** It is done, and there is nothing to say. */
  | 'done'

export async function write(response: ServerResponse, answer: Answer): Promise<void> {
  if (answer === 'done') end(response, 204)
  else if ('json' in answer) end(response, 200, json, JSON.stringify(answer.json))
  else if ('lines' in answer) await writeLines(response, answer.lines)
  else {
    const { bytes, type, name } = answer
    const headers: Record<string, string> = { 'content-type': type }
    if (name !== undefined) headers['content-disposition'] = `attachment; filename="${name}"`
    end(response, 200, headers, bytes)
  }
}

/** An answer that has begun is cut off: its reader must not take it for whole. */
export function writeRefusal(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy()
  else {
    const body = JSON.stringify({ error: toErrorData(error) })
    end(response, statusOf(error), { ...json, ...headersOf(error) }, body)
  }
}

const json = { 'content-type': 'application/json; charset=utf-8' }

function end(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Uint8Array,
): void {
  response.writeHead(status, { ...safeHeaders, ...headers })
  response.end(body)
}

/** Writes each message when the one before has left: a slow reader is waited for. */
async function writeLines(response: ServerResponse, lines: AsyncIterator<StreamMessage>): Promise<void> {
  try {
    let next = await lines.next() // before the head: its error is a refusal
    response.writeHead(200, { ...safeHeaders, 'content-type': 'application/x-ndjson; charset=utf-8' })
    for (; next.done !== true && !response.destroyed; next = await lines.next()) {
      const hasRoom = response.write(`${JSON.stringify(next.value)}\n`)
      if (!hasRoom && !response.destroyed) await drained(response)
    }
    response.end()
  } finally {
    await lines.return?.()
  }
}

/** Resolves when the reader has caught up, or has left. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
