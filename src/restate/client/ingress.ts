/** Calls of workflows through Restate's ingress. */
import { withoutEnd } from '../../actors/text/without-end.ts'
import {
  connect,
  HttpCallError,
  rpc,
  type Ingress,
  type IngressWorkflowClient,
} from '@restatedev/restate-sdk-clients'
import * as clients from '@restatedev/restate-sdk-clients' // an older one lacks names, and is refused by its own
import { TroupeError, toErrorData, type ErrorData } from '../../errors.ts'
import { systemEnvironment } from '../../runtime/environment.ts'
import { serviceOf, workflowKey } from '../wire/addresses.ts'
import { codecOf, type RestateSealing } from '../wire/sealing.ts'
import { assertRequest, sizeOf } from '../wire/payload-limits.ts'
import type {
  AgentHandlers,
  ReadReply,
  ReadRequest,
  RunReport,
  RunRequest,
  Tell,
  Told,
} from '../wire/wire.ts'

/** Where Restate's ingress is. */
export interface IngressAddress {
  readonly url: string
  /** Sent with every call, for example to authenticate. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The workflow of an agent's run: of the root agent, whose path is its id, or of an agent below it. */
export interface WorkflowAddress {
  readonly runId: string
  readonly agent: string
  readonly path: string
}

/** The retries of a wait for the end of a run: without limit of attempts or time. */
const endlessRetry = { maxAttempts: false, maxDuration: false } as const

export class RunIngress {
  readonly #namespace: string
  readonly #calls: Ingress
  readonly #waits: Ingress

  constructor({ url, headers = {} }: IngressAddress, namespace: string, sealing?: RestateSealing) {
    this.#namespace = namespace
    const connection = {
      url: withoutEnd(url, '/'),
      headers: { ...headers },
      ...(sealing === undefined ? {} : { journalValueCodec: codecOf(sealing) }),
    }
    this.#calls = connect({ ...connection, retry: true })
    this.#waits = connect({
      ...connection,
      retry: { ...endlessRetry, shouldRetry: clients.defaultShouldRetry },
    })
  }

  /**
   * Resolves with whether Restate had no such workflow before. A call whose reply was lost is repeated, and finds its own
   * workflow. Rejects with a `TroupeError`, also for a request that is too large.
   */
  async submit(address: WorkflowAddress, request: RunRequest): Promise<boolean> {
    assertRequest('What the run begins with', sizeOf(request))
    const { status } = await asked(this.#client(this.#calls, address).workflowSubmit(request), address)
    return status === 'Accepted'
  }

  /** A call whose reply is lost is repeated, and Restate executes it once. */
  tell(address: WorkflowAddress, told: Tell): Promise<Told> {
    const once = rpc.opts<Tell, Told>({ idempotencyKey: systemEnvironment.newId() })
    return asked(this.#client(this.#calls, address).tell(told, once), address)
  }

  read(address: WorkflowAddress, request: ReadRequest): Promise<ReadReply> {
    return asked(this.#client(this.#calls, address).read(request), address)
  }

  /** Waits for the end of a run, for any time and over any loss of connections. */
  async report(address: WorkflowAddress): Promise<RunReport | { readonly error: ErrorData }> {
    try {
      return await this.#client(this.#waits, address).workflowAttach()
    } catch (error) {
      return { error: toErrorData(failureOf(error, address)) }
    }
  }

  /** Returns the error of a run that came to no end of its own; otherwise `undefined`. */
  async loss(address: WorkflowAddress): Promise<ErrorData | undefined> {
    try {
      await this.#client(this.#waits, address).workflowOutput()
      return undefined
    } catch (error) {
      return toErrorData(failureOf(error, address))
    }
  }

  #client(ingress: Ingress, { runId, agent, path }: WorkflowAddress): IngressWorkflowClient<AgentHandlers> {
    // The client is a proxy: it needs the name of the service, and no definition.
    const service = { name: serviceOf(this.#namespace, agent) }
    return ingress.workflowClient(service as never, workflowKey(runId, path)) as object as never
  }
}

async function asked<Reply>(reply: PromiseLike<Reply>, address: WorkflowAddress): Promise<Reply> {
  try {
    return await reply
  } catch (error) {
    throw failureOf(error, address)
  }
}

/** The statuses with which a proxy reports an unavailable server. */
const away: ReadonlySet<number> = new Set([502, 503, 504])

function failureOf(cause: unknown, { agent }: WorkflowAddress): TroupeError {
  if (!(cause instanceof HttpCallError) || away.has(cause.status)) {
    const message = `Restate cannot be reached: ${toErrorData(cause).message}`
    return new TroupeError('RESTATE_UNREACHABLE', message, { cause })
  }
  const { message = cause.responseText, metadata } = bodyOf(cause.responseText)
  if (cause.status === 404) {
    const unknown = `Restate knows no service for the agent "${agent}", or not this run of it: ${message}`
    return new TroupeError('RESTATE_UNKNOWN', unknown)
  }
  return new TroupeError(metadata?.code ?? 'RESTATE_FAILED', message)
}

interface FailureBody {
  readonly message?: string
  readonly metadata?: { readonly code?: string }
}

function bodyOf(text: string): FailureBody {
  try {
    return (JSON.parse(text) as FailureBody | null) ?? {}
  } catch {
    return {} // a proxy in between may answer with any body
  }
}
