/** From the events of a run to the chunks of Mastra: those of subagents are within the call that delegates to them. */
import type { RunEvent } from '../index.ts'
import { isChild, lastId, parentPath } from '../kit/index.ts'
import type { AgentChunk, ChunkPayloads } from './chunk.ts'
import { finishReasonOf } from './finish-reason.ts'

type Chunks = Generator<AgentChunk, void, undefined>

interface ChunkOptions {
  /** How often the run was suspended before the chunks begin. */
  readonly after: number
  /** Hooks or scorers judge answers: one is given when it has been accepted, and a rejected one is not. */
  readonly isJudged: boolean
  readonly isNetwork: boolean
}

/** The chunks up to the end of the run, or to its next suspension. */
export async function* chunksOf(
  events: AsyncIterable<RunEvent>,
  { after, isJudged, isNetwork }: ChunkOptions,
): AsyncGenerator<AgentChunk, void> {
  const dialog = new Dialog(isJudged, isNetwork)
  let suspensions = 0
  for await (const event of events) {
    const chunks = dialog.take(event)
    if (suspensions >= after) yield* chunks
    if (event.type === 'suspended') suspensions += 1
    if (event.type === 'suspended' && suspensions > after) return
  }
}

class Dialog {
  readonly #isJudged: boolean
  readonly #isNetwork: boolean
  /** The names of the calls that delegate, by the ids of the delegations. */
  readonly #names = new Map<string, string>()
  /** Messages of the root agent that were given. */
  readonly #given = new Set<string>()
  /** An answer of the root agent that nobody has judged yet. */
  #held: AgentChunk[] = []
  #rejected = ''

  constructor(isJudged: boolean, isNetwork: boolean) {
    this.#isJudged = isJudged
    this.#isNetwork = isNetwork
  }

  take(event: RunEvent): AgentChunk[] {
    const delegation = delegationOf(event)
    if (delegation === undefined) return [...this.#ofRoot(event)]
    const surfaces = event.type === 'tool-call-approval' || event.type === 'tool-call-suspended'
    const chunks = [...this.#plain(event)]
    return surfaces ? chunks : chunks.map((chunk) => this.#within(delegation, chunk))
  }

  *#ofRoot(event: RunEvent): Chunks {
    switch (event.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return yield* this.#speak(event)
      case 'step-start':
        this.#held = [] // the answer before was not the last word
        return yield* this.#plain(event)
      case 'run-finish':
        yield* this.#answer(event)
        if (this.#isNetwork) {
          yield chunk(event, 'network-execution-event-step-finish', { result: event.payload.text })
        }
        return yield* this.#plain(event)
      default:
        return yield* this.#plain(event)
    }
  }

  *#speak(event: Extract<RunEvent, { type: 'text-start' | 'text-delta' | 'text-end' }>): Chunks {
    this.#held.push(...this.#plain(event))
    const isBesideCalls = event.type === 'text-end' && event.payload.toolCalls !== undefined
    if (!this.#isJudged || isBesideCalls) yield* this.#release(event.messageId)
  }

  *#release(messageId = ''): Chunks {
    this.#given.add(messageId)
    yield* this.#held
    this.#held = []
  }

  /** The answer of the run, where the root agent has not said it: that of a subagent that bailed, for example. */
  *#answer(event: Extract<RunEvent, { type: 'run-finish' }>): Chunks {
    const { messageId = `${event.runId}/end`, payload } = event
    const isHeld = this.#held.some((chunk) => 'id' in chunk.payload && chunk.payload.id === messageId)
    if (isHeld) return yield* this.#release(messageId)
    if (payload.text === '' || payload.outcome === 'failed' || this.#given.has(messageId)) return
    yield chunk(event, 'text-start', { id: messageId })
    yield chunk(event, 'text-delta', { id: messageId, text: payload.text })
    yield chunk(event, 'text-end', { id: messageId })
  }

  /** The chunk within the delegations that lead to it, the innermost first. */
  #within(delegation: string, inner: AgentChunk): AgentChunk {
    const toolName = this.#names.get(delegation) ?? 'agent'
    const { runId } = inner
    const payload = { toolCallId: delegation, toolName, name: toolName, output: inner }
    const outer: AgentChunk = { type: 'tool-output', runId, payload }
    const above = enclosing(parentPath(delegation))
    return above === undefined ? outer : this.#within(above, outer)
  }

  /** The chunks of an event at its own level. */
  *#plain(event: RunEvent): Chunks {
    const id = event.messageId ?? ''
    switch (event.type) {
      case 'run-start':
        return yield chunk(event, 'start', { task: event.payload.task })
      case 'step-start':
        return yield chunk(event, 'step-start', { step: event.payload.step })
      case 'step-finish': {
        const { step, finishReason, usage } = event.payload
        return yield chunk(event, 'step-finish', { step, finishReason, usage })
      }
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
        return yield chunk(event, event.type, { id })
      case 'text-delta':
      case 'reasoning-delta':
        return yield chunk(event, event.type, { id, text: event.payload.text })
      case 'tool-call':
      case 'tool-call-approval':
        return yield chunk(event, event.type, { ...callOf(event.payload), args: event.payload.args })
      case 'tool-result':
        return yield chunk(event, event.type, { ...callOf(event.payload), result: event.payload.result })
      case 'tool-error': {
        const { outcome, error = failure(`The tool call ${outcome}.`) } = event.payload
        return yield chunk(event, event.type, { ...callOf(event.payload), error })
      }
      case 'tool-call-suspended': {
        const { suspendPayload } = event.payload
        return yield chunk(event, event.type, { ...callOf(event.payload), suspendPayload })
      }
      case 'delegation-start':
      case 'delegation-end':
      case 'delegation-bail':
      case 'delegation-rejected':
        return yield* this.#delegation(event)
      case 'iteration-start':
      case 'iteration-end':
      case 'iteration-feedback':
      case 'scorer-result':
      case 'routing-decision':
      case 'background-start':
      case 'background-end':
      case 'abort':
      case 'suspended':
        return yield {
          type: event.type,
          runId: event.runId,
          payload: event.payload,
        } as AgentChunk
      case 'scoring-start':
        return yield chunk(event, event.type, { scorerIds: [...event.payload.scorerIds] })
      case 'scoring-complete': {
        const reasons = event.payload.results.flatMap(({ passed, reason }) =>
          passed || reason === undefined ? [] : [reason],
        )
        const { complete } = event.payload
        const reason = reasons.length === 0 ? {} : { reason: reasons.join('; ') }
        return yield chunk(event, event.type, { complete, ...reason })
      }
      case 'error':
        if (!event.payload.willRetry) yield chunk(event, 'error', { error: event.payload.error })
        return
      case 'run-finish': {
        const { text, usage } = event.payload
        return yield chunk(event, 'finish', { finishReason: finishReasonOf(event.payload), text, usage })
      }
      default: // others have no chunk
    }
  }

  /** A delegation is a call of the tool `agent-<key>`, with its result. */
  *#delegation(
    event: Extract<
      RunEvent,
      { type: 'delegation-start' | 'delegation-end' | 'delegation-bail' | 'delegation-rejected' }
    >,
  ): Chunks {
    const { agentName } = event.payload
    const toolCallId = event.delegationId ?? event.path
    const toolName = `agent-${agentName}`
    const call = { toolCallId, toolName, name: toolName }
    switch (event.type) {
      case 'delegation-start': {
        const { prompt } = event.payload
        this.#names.set(toolCallId, toolName)
        yield chunk(event, 'tool-call', { ...call, args: { prompt } })
        return yield chunk(event, 'delegation-start', { agentName, prompt })
      }
      case 'delegation-rejected':
        this.#rejected = event.payload.reason
        return yield chunk(event, 'delegation-rejected', { agentName, reason: event.payload.reason })
      case 'delegation-bail':
        return yield chunk(event, 'delegation-bail', { agentName })
      case 'delegation-end': {
        const { outcome, text, error, duration = 0 } = event.payload
        if (outcome === 'rejected') {
          const result = { error: `Delegation rejected: ${this.#rejected}`, rejected: true }
          yield chunk(event, 'tool-result', { ...call, result })
        } else if (error !== undefined || outcome === 'cancelled') {
          yield chunk(event, 'tool-error', {
            ...call,
            error: error ?? failure('The delegation was cancelled.'),
          })
        } else {
          yield chunk(event, 'tool-result', { ...call, result: { text } })
        }
        return yield chunk(event, 'delegation-end', { agentName, duration })
      }
    }
  }
}

function chunk<Type extends keyof ChunkPayloads>(
  { runId }: RunEvent,
  type: Type,
  payload: ChunkPayloads[Type],
): AgentChunk {
  return { type, runId, payload } as AgentChunk
}

function callOf({ toolCallId, toolName }: { readonly toolCallId: string; readonly toolName: string }) {
  return { toolCallId, toolName, name: toolName }
}

function failure(message: string) {
  return { name: 'Error', code: 'CANCELLED', message } as const
}

/** The delegation that an event is within; what tells of a delegation is at the level of the agent that delegates. */
function delegationOf({ type, path }: RunEvent): string | undefined {
  return enclosing(type.startsWith('delegation-') ? parentPath(path) : path)
}

/** The innermost delegation on the way to an actor. */
function enclosing(path: string): string | undefined {
  for (let at = path; at !== ''; at = parentPath(at)) if (isChild(lastId(at), 'delegation')) return at
  return undefined
}
