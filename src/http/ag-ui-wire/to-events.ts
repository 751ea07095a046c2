/** The events of a run as those of AG-UI. */
import type { RunEvent } from '../../index.ts'
import { agentPath } from '../../kit/index.ts'
import type { ClientCalls } from '../serving/client-tools.ts'
import { Calls } from './calls.ts'
import type { AgUiEvent, ClientRun } from './events.ts'
import { interruptsOf } from './interrupts.ts'
import { isMessageEvent, Messages } from './messages.ts'
import { planShown, stepChanged } from './plans.ts'
import { Steps } from './steps.ts'
import { ownerOf, Subagents } from './subagents.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>
type Other = Exclude<RunEvent, { type: `text-${string}` | `reasoning-${string}` }>

interface EventOptions {
  readonly runId: string
  readonly client: ClientRun
  /** Those that are known before the beginning of the run is read. */
  readonly clientCalls: ClientCalls
  /** Whether the page has the result of a call, as it has given it in this request. */
  readonly hasResult: (toolCallId: string) => boolean
}

/** Yields the events of a stream, which ends where the run does, or waits for a person: the next request answers. */
export async function* toEvents(
  events: AsyncIterable<RunEvent>,
  { runId, client, clientCalls, hasResult }: EventOptions,
): AsyncGenerator<AgUiEvent & { readonly timestamp?: number }, void> {
  const translation = new Translation(runId, client, clientCalls)
  yield { type: 'RUN_STARTED', ...client, protocolVersion: '1.0' }
  for await (const event of events) {
    clientCalls.take(event)
    if (isResult(event) && hasResult(event.payload.toolCallId)) continue
    for (const made of translation.after(event)) yield { ...made, timestamp: event.at }
    if (event.type === 'suspended' || event.type === 'run-finish') return
  }
}

function isResult(event: RunEvent): event is EventOf<'tool-result' | 'tool-error'> {
  return event.type === 'tool-result' || event.type === 'tool-error'
}

class Translation {
  readonly #runId: string
  readonly #client: ClientRun
  readonly #messages: Messages
  readonly #calls: Calls
  readonly #subagents: Subagents
  readonly #steps: Steps
  readonly #clientCalls: ClientCalls

  constructor(runId: string, client: ClientRun, clientCalls: ClientCalls) {
    this.#clientCalls = clientCalls
    this.#runId = runId
    this.#client = client
    this.#messages = new Messages(runId)
    this.#calls = new Calls(runId)
    this.#subagents = new Subagents(runId)
    this.#steps = new Steps(runId)
  }

  *after(event: RunEvent): Generator<AgUiEvent, void> {
    yield* this.#subagents.around(event.path)
    yield* isMessageEvent(event) ? this.#messages.after(event) : this.#afterOther(event)
  }

  *#afterOther(event: Other): Generator<AgUiEvent, void> {
    switch (event.type) {
      case 'run-start':
        return
      case 'tool-call-delta':
        return yield* this.#calls.written(event, this.#messages.textOf(event.path))
      case 'tool-call':
        return yield* this.#calls.made(event, this.#messages.textOf(event.path))
      case 'tool-result':
      case 'tool-error':
        return yield* this.#calls.ended(event)
      case 'delegation-start':
        return yield* this.#subagents.begin(event.path, event.payload.agentId)
      case 'delegation-end':
        yield* this.#steps.close(`${event.path}/`)
        return yield* this.#subagents.end(event)
      case 'suspended':
        return yield* this.#suspended(event)
      case 'run-finish':
        return yield* this.#finished(event)
      case 'step-start':
        this.#messages.forgetText(event.path)
        yield* this.#steps.begin(event)
        yield this.#custom(event)
        return
      case 'step-finish':
        yield* this.#calls.notMade(agentPath(event.path))
        yield this.#custom(event)
        return yield* this.#steps.end(event)
      case 'error':
        yield* this.#calls.notMade(agentPath(event.path))
        yield this.#custom(event)
        return
      case 'plan-created':
      case 'plan-revised':
        yield planShown(event)
        yield this.#custom(event)
        return
      case 'plan-step-start':
      case 'plan-step-end':
        yield stepChanged(event)
        yield this.#custom(event)
        return
      default:
        yield this.#custom(event)
    }
  }

  #custom({ type, agent, path, payload }: Other): AgUiEvent {
    const value = { ...payload, agent, path }
    return { type: 'CUSTOM', name: `troupe.${type}`, value, ...ownerOf(this.#runId, path) }
  }

  *#suspended(event: EventOf<'suspended'>): Generator<AgUiEvent, void> {
    const interrupts = interruptsOf(event, this.#calls, this.#clientCalls)
    yield* this.#messages.close()
    yield* this.#calls.close()
    yield* this.#steps.close()
    yield* this.#subagents.suspend(interrupts)
    // A page performs the calls of its own tools once the run of the client has ended, and asks for nothing else.
    const outcome =
      interrupts.size === 0
        ? ({ type: 'success' } as const)
        : ({ type: 'interrupt', interrupts: [...interrupts.values()] } as const)
    yield { type: 'RUN_FINISHED', ...this.#client, outcome }
  }

  *#finished({ agent, payload }: EventOf<'run-finish'>): Generator<AgUiEvent, void> {
    const { outcome, text, error } = payload
    yield* this.#messages.close()
    yield* this.#calls.close()
    yield* this.#steps.close()
    yield* this.#subagents.abandon(outcome)
    if (outcome === 'failed') {
      const code = error === undefined ? {} : { code: error.code }
      yield { type: 'RUN_ERROR', message: error?.message ?? 'The run has failed.', ...code }
      return
    }
    if (outcome === 'cancelled') {
      yield { type: 'RUN_FINISHED', ...this.#client, outcome: { type: 'cancelled' }, result: payload }
      return
    }
    if (text !== '' && text !== this.#messages.answer) {
      yield* this.#messages.whole('answer', agent, text) // the answer of a subagent, or of a function
    }
    yield { type: 'RUN_FINISHED', ...this.#client, outcome: { type: 'success' }, result: payload }
  }
}
