/** The requests to the server of the inspector, by their types in `wire`. */
import type { Chart, RunSignal } from '../../../index.ts'
import type { Summary } from '../../../view/summary/summary.ts'
import { linesOf } from '../../../kit/host.ts'
import { signal, type Signal } from '@preact/signals'
import type {
  Comparison,
  DryRequest,
  Forked,
  EndRequest,
  ForkRequest,
  Numbers,
  QuestionPage,
  Refusal,
  RowDetail,
  RunPage,
  RunRow,
  SearchPage,
  ServiceInfo,
  StreamMessage,
  ViewDetail,
  Why,
} from '../../wire/routes.ts'
import type { ScriptRequest } from '../../wire/dry.ts'
import { isAborted, RefusedError, UnreachableError } from './failure.ts'

/** The parts of an address behind the path; those that are absent are left out. */
type Query = Readonly<Record<string, string | number | undefined>>

type Sent = Pick<RequestInit, 'method' | 'body' | 'signal'>

/** A text that the server makes of a run. */
export type Document = 'recording' | 'mermaid' | 'turtle'

export class Api {
  /** That of the server; another when the server was started again and its new address was opened in this browser. */
  readonly token: Signal<string>

  constructor(token: string) {
    this.token = signal(token)
  }

  service(): Promise<ServiceInfo> {
    return this.#read('service')
  }

  health(): Promise<Numbers> {
    return this.#read('health')
  }

  charts(runId: string): Promise<readonly Chart[]> {
    return this.#read(of(runId, 'charts'))
  }

  runs(filter: Query): Promise<RunPage> {
    return this.#read(`runs${queryOf(filter)}`)
  }

  awaiting(filter: Query): Promise<QuestionPage> {
    return this.#read(`awaiting${queryOf(filter)}`)
  }

  run(runId: string): Promise<RunRow> {
    return this.#read(of(runId))
  }

  row(runId: string, row: number, signal?: AbortSignal): Promise<RowDetail> {
    return this.#read(of(runId, `rows/${row}`), signal)
  }

  /** The rows from one to before another; `null`: it is withheld. */
  details(runId: string, from: number, to: number): Promise<readonly (RowDetail | null)[]> {
    return this.#read(of(runId, `details${queryOf({ from, to })}`))
  }

  view(runId: string, row: number, path?: string, signal?: AbortSignal): Promise<ViewDetail> {
    return this.#read(of(runId, `view/${row}${queryOf({ path })}`), signal)
  }

  search(runId: string, query: Query, signal?: AbortSignal): Promise<SearchPage> {
    return this.#read(of(runId, `search${queryOf(query)}`), signal)
  }

  summary(runId: string, signal?: AbortSignal): Promise<Summary> {
    return this.#read(of(runId, 'summary'), signal)
  }

  compare(runId: string, other: string): Promise<Comparison> {
    return this.#read(of(runId, `compare/${encodeURIComponent(other)}`))
  }

  why(runId: string): Promise<Why> {
    return this.#read(of(runId, 'why'))
  }

  async document(runId: string, kind: Document, query: Query = {}): Promise<Blob> {
    return (await this.#send(of(runId, `${kind}${queryOf(query)}`), {})).blob()
  }

  async image(ref: string, type: string): Promise<Blob> {
    return (await this.#send(`blobs/${encodeURIComponent(ref)}${queryOf({ type })}`, {})).blob()
  }

  async signal(runId: string, signal: RunSignal): Promise<void> {
    await this.#send(of(runId, 'signal'), posted(signal))
  }

  /** Ends a run by force. */
  async end(runId: string, request: EndRequest): Promise<void> {
    await this.#send(of(runId, 'end'), posted(request))
  }

  async fork(runId: string, request: ForkRequest): Promise<Forked> {
    return jsonOf<Forked>(await this.#send(of(runId, 'fork'), posted(request)))
  }

  async forkDry(runId: string, request: DryRequest): Promise<Forked> {
    return jsonOf<Forked>(await this.#send(of(runId, 'dry'), posted(request)))
  }

  /** Gives a held effect of a dry fork its outcome. */
  async script(runId: string, request: ScriptRequest): Promise<void> {
    await this.#send(of(runId, 'script'), posted(request))
  }

  async remove(runId: string): Promise<void> {
    await this.#send(of(runId), { method: 'DELETE' })
  }

  /** The messages of a run, behind the rows that were seen, until the server ends them. */
  async *stream(runId: string, seen: Query, signal: AbortSignal): AsyncGenerator<StreamMessage> {
    const { body } = await this.#send(of(runId, `stream${queryOf(seen)}`), { signal })
    if (body === null) throw new UnreachableError('The answer has no body.')
    try {
      for await (const line of linesOf(body)) yield JSON.parse(line) as StreamMessage
    } catch (error) {
      throw isAborted(error) ? error : new UnreachableError(error)
    }
  }

  async #read<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
    return jsonOf<Answer>(await this.#send(path, signal === undefined ? {} : { signal }))
  }

  async #send(path: string, options: Sent): Promise<Response> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token.peek()}` }
    const response = await fetch(`/api/${path}`, { ...options, headers, cache: 'no-store' }).catch(
      (error: unknown) => {
        throw isAborted(error) ? error : new UnreachableError(error)
      },
    )
    if (response.ok) return response
    throw await refusalOf(response)
  }
}

/** A refusal by another program, such as a proxy, has no text of ours. */
async function refusalOf(response: Response): Promise<RefusedError> {
  const { status } = response
  const text = await response.text()
  try {
    return new RefusedError(status, (JSON.parse(text) as Refusal).error)
  } catch {
    return new RefusedError(status, {
      code: 'REFUSED',
      message: `The server answered with status ${status}.`,
    })
  }
}

async function jsonOf<Answer>(response: Response): Promise<Answer> {
  return (await response.json()) as Answer
}

function posted(body: unknown): Sent {
  return { method: 'POST', body: JSON.stringify(body) }
}

function of(runId: string, rest = ''): string {
  return `runs/${encodeURIComponent(runId)}${rest === '' ? '' : `/${rest}`}`
}

function queryOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
