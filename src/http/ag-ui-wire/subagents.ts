/** The delegations of a stream as subagents. */
import type { RunEvent } from '../../index.ts'
import { agentOf, agentPath, isChild } from '../../kit/index.ts'
import { ownOutcome } from '../../kit/host.ts'
import type { AgUiEvent, Interrupt, Owner } from './events.ts'

type DelegationEnd = Extract<RunEvent, { type: 'delegation-end' }>

/** An id of a run, as one that no other run of the thread has. */
export function idIn(runId: string, id: string): string {
  return `${runId}:${id}`
}

interface Delegation {
  readonly path: string
  /** The id of the agent below it. */
  readonly agent: string
}

/** The delegations that the agent of an actor works for, the outermost first. */
function delegationsAround(path: string): readonly Delegation[] {
  const ids = agentPath(path).split('/')
  return ids.flatMap((id, index) =>
    isChild(id, 'delegation')
      ? [{ path: ids.slice(0, index + 1).join('/'), agent: agentOf(ids[index + 1] ?? '') ?? '' }]
      : [],
  )
}

export function ownerOf(runId: string, path: string): Owner {
  const innermost = delegationsAround(path).at(-1)
  return innermost === undefined ? {} : { subagentRunId: idIn(runId, innermost.path) }
}

/** A subagent is told once in a stream: also where it began in an earlier one, before the run was suspended. */
export class Subagents {
  readonly #runId: string
  readonly #open = new Set<string>()
  readonly #ended = new Set<string>()

  constructor(runId: string) {
    this.#runId = runId
  }

  /** Before an event of the actor at `path`. */
  *around(path: string): Generator<AgUiEvent, void> {
    for (const delegation of delegationsAround(path)) yield* this.begin(delegation.path, delegation.agent)
  }

  *begin(path: string, name: string): Generator<AgUiEvent, void> {
    if (this.#open.has(path) || this.#ended.has(path)) return
    this.#open.add(path)
    const { subagentRunId: parent } = ownerOf(this.#runId, path)
    yield {
      type: 'SUBAGENT_STARTED',
      subagentRunId: idIn(this.#runId, path),
      name,
      ...(parent === undefined ? {} : { parentSubagentRunId: parent }),
    }
  }

  *end({ path, payload }: DelegationEnd): Generator<AgUiEvent, void> {
    yield* this.begin(path, payload.agentId)
    this.#open.delete(path)
    this.#ended.add(path)
    const { text, error } = payload
    const outcome = ownOutcome(payload)
    const subagentRunId = idIn(this.#runId, path)
    yield outcome === 'succeeded'
      ? { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'success' }, result: text }
      : {
          type: 'SUBAGENT_ERROR',
          subagentRunId,
          message: error?.message ?? `The subagent has ended: ${outcome}.`,
          code: error?.code ?? outcome,
        }
  }

  /** The run waits: each open subagent for the questions within it, by the ids of their calls. */
  *suspend(interrupts: ReadonlyMap<string, Interrupt>): Generator<AgUiEvent, void> {
    for (const path of [...this.#open].toReversed()) {
      const interruptIds = [...interrupts].flatMap(([call, { id }]) =>
        call.startsWith(`${path}/`) ? [id] : [],
      )
      const outcome = { type: 'suspended', ...(interruptIds.length === 0 ? {} : { interruptIds }) } as const
      yield { type: 'SUBAGENT_FINISHED', subagentRunId: idIn(this.#runId, path), outcome }
    }
    this.#open.clear()
  }

  /** The run has ended without them. */
  *abandon(outcome: string): Generator<AgUiEvent, void> {
    for (const path of [...this.#open].toReversed()) {
      const subagentRunId = idIn(this.#runId, path)
      yield {
        type: 'SUBAGENT_ERROR',
        subagentRunId,
        message: `The run has ended: ${outcome}.`,
        code: outcome,
      }
    }
    this.#open.clear()
  }
}
