/** Responses to requests. No cache keeps one, and no browser guesses its type. */
import type { RefusedRequest } from './refusals.ts'

const common = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** A response of JSON. */
export function jsonResponse(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return new Response(JSON.stringify(value), { status, headers: { ...common, ...type, ...headers } })
}

/** It is done, and there is nothing to say. */
export function emptyResponse(): Response {
  return new Response(null, { status: 204, headers: common })
}

/** A response that goes on as long as its body does. Proxies hold nothing of it back. */
export function streamResponse(body: ReadableStream<Uint8Array>, type: string): Response {
  const headers = {
    ...common,
    'content-type': type,
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no', // a proxy passes each event on at once
  }
  return new Response(body, { headers })
}

/** The response of a refusal: `{ error: { code, message } }`. */
export function refusalResponse({ status, code, message, headers }: RefusedRequest): Response {
  return jsonResponse({ error: { code, message } }, status, headers)
}
