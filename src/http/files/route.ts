/**
 * The bytes of the files of a run. Every wire has this route.
 *
 *     GET    /runs/:id/files/:ref    read    the bytes; 304 for those that the browser has
 */
import { type Call, RefusedRequest, type Route } from '../../kit/wire/index.ts'
import type { Serving } from '../serving/serving.ts'
import { fileHeaders } from './file-response.ts'
import { fileOf } from './run-files.ts'

export function fileRoute(serving: Serving): Route {
  return { method: 'GET', path: '/runs/:id/files/:ref', answer: (call) => answerFile(serving, call) }
}

/** The path of a file, for a page of the same origin. */
export function fileAddress(base: string, runId: string, ref: string): string {
  return `${base}/runs/${encodeURIComponent(runId)}/files/${ref}`
}

/** Whether it is an address that `fileAddress` has made. */
export function isFileAddress(base: string, url: string): boolean {
  return url.startsWith(`${base}/runs/`) && /^[^/]+\/files\/[0-9a-f]{64}$/.test(url.slice(base.length + 6))
}

async function answerFile({ gate, service }: Serving, { request, named }: Call): Promise<Response> {
  const { run } = await gate.toRun(request, 'read', named['id'] ?? '')
  const file = fileOf(await service.journal(run.runId), named['ref'] ?? '')
  const bytes = file && (await service.blobs?.get(file.ref))
  if (file === undefined || bytes === undefined) {
    throw new RefusedRequest(404, 'NOT_FOUND', 'The run has no such file.')
  }
  const headers = fileHeaders(file)
  const isKnown = request.headers.get('if-none-match')?.includes(file.ref) === true
  return isKnown
    ? new Response(null, { status: 304, headers })
    : new Response(new Uint8Array(bytes), { headers })
}
