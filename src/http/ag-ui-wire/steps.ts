/** The steps of agents. One that a stream leaves open is ended there: the next stream does not begin it again. */
import type { RunEvent } from '../../index.ts'
import { agentPath } from '../../kit/index.ts'
import type { AgUiEvent, Owner } from './events.ts'
import { ownerOf } from './subagents.ts'

type StepEvent = Extract<RunEvent, { type: 'step-start' | 'step-finish' }>

interface OpenStep extends Owner {
  readonly stepName: string
}

export class Steps {
  readonly #runId: string
  /** By the path of the agent and the number. */
  readonly #open = new Map<string, OpenStep>()

  constructor(runId: string) {
    this.#runId = runId
  }

  *begin({ path, payload: { step } }: StepEvent): Generator<AgUiEvent, void> {
    const key = keyOf(path, step)
    if (this.#open.has(key)) return
    const opened = { stepName: key, ...ownerOf(this.#runId, path) }
    this.#open.set(key, opened)
    yield { type: 'STEP_STARTED', ...opened }
  }

  *end({ path, payload: { step } }: StepEvent): Generator<AgUiEvent, void> {
    yield* this.#end(keyOf(path, step))
  }

  /** Ends the steps that are open: all, or those of the agents below a path. */
  *close(below = ''): Generator<AgUiEvent, void> {
    for (const key of this.#open.keys()) if (key.startsWith(below)) yield* this.#end(key)
  }

  *#end(key: string): Generator<AgUiEvent, void> {
    const step = this.#open.get(key)
    if (step === undefined) return
    this.#open.delete(key)
    yield { type: 'STEP_FINISHED', ...step }
  }
}

function keyOf(path: string, step: number): string {
  return `${agentPath(path)} ${step}`
}
