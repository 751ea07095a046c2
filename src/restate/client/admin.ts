/** Restate's admin API: queries of its index, and the purge of invocations. */
import { withoutEnd } from '../../actors/text/without-end.ts'
import { TroupeError, toErrorData } from '../../errors.ts'
import type { RestateSealing } from '../wire/sealing.ts'
import type { IngressAddress } from './ingress.ts'

export class RestateAdmin {
  readonly #address: IngressAddress

  /** Opens what workers have sealed. */
  readonly sealing: RestateSealing | undefined

  constructor(address: IngressAddress, sealing?: RestateSealing) {
    this.#address = address
    this.sealing = sealing
  }

  /** Rejects with a `TroupeError` when the admin address does not answer. */
  async query<Row>(sql: string): Promise<readonly Row[]> {
    const response = await this.#ask('query', {
      method: 'post', // which fetch writes in capitals
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: sql }),
    })
    return ((await response.json()) as { readonly rows: readonly Row[] }).rows
  }

  /** Removes a completed invocation with the state of its workflow. One that is gone is no error. */
  async purge(invocation: string): Promise<void> {
    await this.#ask(`invocations/${encodeURIComponent(invocation)}/purge`, { method: 'PATCH' }, [404])
  }

  async #ask(path: string, init: RequestInit, expected: readonly number[] = []): Promise<Response> {
    const { url, headers = {} } = this.#address
    let response: Response
    try {
      response = await fetch(`${withoutEnd(url, '/')}/${path}`, {
        ...init,
        headers: { ...(init.headers as Readonly<Record<string, string>> | undefined), ...headers },
      })
    } catch (cause) {
      const message = `Restate's admin address cannot be reached: ${toErrorData(cause).message}`
      throw new TroupeError('RESTATE_UNREACHABLE', message, { cause })
    }
    if (response.ok || expected.includes(response.status)) return response
    throw new TroupeError('RESTATE_FAILED', await response.text())
  }
}

/** A text as SQL writes it. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Chooses the services of a namespace: `_` and `%` stand for themselves. */
export function isInNamespace(column: string, namespace: string): string {
  return `starts_with(${column}, ${sqlText(`${namespace}.`)})`
}

/** The id of the run of a workflow: the key of a part is the run id and its path. */
export function runIdOf(key: string): string {
  return key.split('/', 1)[0] ?? key
}

/** The agent of a service; `undefined`: it is one of a longer namespace. */
export function agentOfService(service: string, namespace: string): string | undefined {
  const agent = service.slice(namespace.length + 1)
  return agent.includes('.') ? undefined : agent
}
