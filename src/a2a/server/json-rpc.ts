/** The envelope of JSON-RPC 2.0: requests that are none. */
import { isRecord } from '../../kit/index.ts'
import { excessOf } from '../../kit/wire/index.ts'
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors'

/** The id of a request. */
export type Id = string | number | null

/** A request of JSON-RPC, or the answer to a text that is none. */
export type ReadRequest =
  { readonly request: Readonly<Record<string, unknown>>; readonly id: Id } | { readonly refusal: RpcError }

interface RpcError {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly error: { readonly code: number; readonly message: string }
}

export function readRequest(text: string): ReadRequest {
  const given = parsed(text)
  if (given === undefined) return { refusal: rpcError(null, A2A_ERROR_CODE.PARSE_ERROR, 'This is no JSON.') }
  const refusal = (id: Id, words = 'This is no request of JSON-RPC 2.0.'): ReadRequest => ({
    refusal: rpcError(id, A2A_ERROR_CODE.INVALID_REQUEST, words),
  })
  const [request] = given
  if (!isRecord(request)) return refusal(null)
  const { jsonrpc, method, id = null } = request
  if (!isId(id)) return refusal(null)
  const excess = excessOf(request)
  if (excess !== undefined) return refusal(id, `The request has more than ${excess.most} ${excess.of}.`)
  const isRequest = jsonrpc === '2.0' && typeof method === 'string' && method !== ''
  return isRequest ? { request, id } : refusal(id)
}

function rpcError(id: Id, code: number, message: string): RpcError {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** One value in a list; `undefined`: it is no JSON. */
function parsed(text: string): readonly [unknown] | undefined {
  try {
    return [JSON.parse(text)]
  } catch {
    return undefined
  }
}

function isId(given: unknown): given is Id {
  return typeof given === 'string' || Number.isInteger(given) || given === null
}
