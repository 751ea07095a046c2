/** `generate` and `stream` of an agent: a run in a troupe of its own, whose failure somebody is told. */
import type { AnyActorRef } from 'xstate'
import type { Prompt } from '../../actors/message.ts'
import { TroupeError } from '../../errors.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'
import { nextTask } from '../../actors/values/order.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { handleOf, type Handled } from '../handle/handle.ts'
import { failureOf, type FailedResult } from '../handle/or-throw.ts'
import type { FinalResult, RunResult, SuspendedResult } from '../handle/result.ts'
import type { Run } from '../handle/run.ts'
import type { ReportedProblem } from '../report.ts'
import type { LiveRun } from '../run/live-run.ts'
import { Core } from '../troupe/core.ts'

export async function generateAlone(
  agent: AgentDefinition,
  prompt: Prompt,
  options?: object,
): Promise<RunResult> {
  const { run, report } = runAlone(agent, prompt, false, options)
  const result = await run.whenIdle
  if (result.outcome === 'suspended') report(unanswerable(agent.id, result))
  if (result.outcome === 'failed') report(failure(agent.id, result, `generate() of "${agent.id}" has failed`))
  return result
}

export function streamAlone(agent: AgentDefinition, prompt: Prompt, options?: object): Run {
  return handleOf(new NotedReads(runAlone(agent, prompt, true, options), agent.id))
}

function runAlone(agent: AgentDefinition, prompt: Prompt, stream: boolean, options: object = {}): LiveRun {
  const run = new Core({ agents: [agent], isAlone: true }).open(agent, prompt, options, stream)
  void run.start() // the promises of the handle reject with the error
  return run
}

/** A run that notes whether anybody has read how it goes; a failure that nobody has read is reported. */
class NotedReads implements Handled {
  readonly log: Handled['log'] = { read: (options) => this.#noted().log.read(options) }
  readonly #run: LiveRun
  #isRead = false

  constructor(run: LiveRun, agent: string) {
    this.#run = run
    const { id: runId, report } = run
    const message = `the run "${runId}" of "${agent}" has failed, and nobody has read its events, its text or its result`
    // The promise reports a rejection that nobody handles: it must not take this for a handler.
    const settled = (result: FinalResult): void => {
      if (result.outcome === 'failed') this.#unlessRead(() => report(failure(agent, result, message)))
    }
    void Promise.prototype.then.call(run.result, settled as (value: unknown) => void, () => undefined)
  }

  get id(): string {
    return this.#run.id
  }

  get root(): AnyActorRef {
    return this.#noted().root
  }

  get result(): Promise<FinalResult> {
    return this.#noted().result
  }

  get whenIdle(): Promise<RunResult> {
    return this.#noted().whenIdle
  }

  readonly tell: Handled['tell'] = (make) => this.#run.tell(make)

  #noted(): LiveRun {
    this.#isRead = true
    return this.#run
  }

  /** A caller that has waited for something else may read the result in the same turn. */
  #unlessRead(report: () => void): void {
    nextTask(() => {
      if (!this.#isRead) report()
    })
  }
}

function failure(agent: string, result: FailedResult, message: string): ReportedProblem {
  return { message, code: 'RUN_FAILED', where: 'run', error: failureOf(result), runId: result.runId, agent }
}

/** `agent`: the id of the agent whose `generate` was called. */
function unanswerable(agent: string, { runId, awaiting }: SuspendedResult): ReportedProblem {
  const waits = awaiting.map(
    ({ toolName, agent: asker, type }) => `${callOf[type]} of "${toolName}" by "${asker}"`,
  )
  const answers = [...new Set(awaiting.map(({ type }) => answerOf[type]))]
  const error = new TroupeError(
    'ANSWER_NEEDED',
    `The run waits for ${waits.join(', ')}, and generate() gives no handle to answer with. Start it with createTroupe({ agents: [${agent}] }).start(${agent}, prompt), or with ${agent}.stream(prompt), and call ${answers.join(' or ')} of that run; result.awaiting has each toolCallId.`,
    { runId },
  )
  return {
    message: `generate() of "${agent}" ended suspended`,
    code: 'ANSWER_NEEDED',
    where: 'run',
    error,
    runId,
    agent,
  }
}

const callOf: Readonly<Record<AwaitedSignal['type'], string>> = {
  approval: 'an approval',
  suspension: 'data for a call',
  interruption: 'a decision on an interrupted call',
}

const answerOf: Readonly<Record<AwaitedSignal['type'], string>> = {
  approval: 'approve(toolCallId) or deny(toolCallId)',
  suspension: 'resume(toolCallId, data)',
  interruption: 'resume(toolCallId, { retry: true })',
}
