/** A run on the embedded engine. */
import { toJsonValue, type JsonValue } from '../actors/json.ts'
import type { AgentOutput } from '../machines/agent.ts'
import { totalUsage } from '../actors/usage.ts'
import { toErrorData } from '../errors.ts'
import { partialOutput } from './agent-logic.ts'
import { Engine, type EngineOptions } from './engine.ts'
import type { RunEvent } from './event-log.ts'
import { lookUp } from './registry.ts'
import {
  finalResult,
  shapedResult,
  type FinalResult,
  type RunResult,
  type SuspendedResult,
} from './result.ts'
import type { Run } from './run.ts'

export function embeddedRun(
  options: Omit<EngineOptions, 'onSettled' | 'onSuspended'>,
  signal: AbortSignal | undefined,
): { readonly run: Run; readonly start: () => void } {
  const end = Promise.withResolvers<FinalResult>()
  let idle: PromiseWithResolvers<RunResult> | undefined
  const engine = new Engine({
    ...options,
    onSettled(output) {
      const { structuredOutput } = options.functions
      const schema = (
        structuredOutput ?? lookUp(options.registry, options.started.agent).options.structuredOutput
      )?.schema
      const result = resultOf(engine, output)
      const shaped = schema === undefined ? result : shapedResult(result, schema)
      signal?.removeEventListener('abort', onAbort)
      idle?.resolve(shaped)
      end.resolve(shaped)
    },
    onSuspended() {
      idle?.resolve(suspendedResult(engine))
      idle = undefined
    },
  })
  const onAbort = (): void => run.cancel(reasonOf(signal?.reason))

  const answer = (
    verb: 'approve' | 'deny' | 'resume',
    toolCallId: string,
    given: { approved: boolean; reason?: string; data?: JsonValue },
  ): void => {
    const ticket = engine.signals.claim(toolCallId, verb)
    engine.signal({ type: 'answer', key: ticket.key, id: toolCallId, answer: given })
  }

  const run: Run = {
    id: engine.runId,
    actor: engine.root,
    events: { [Symbol.asyncIterator]: () => engine.stamper.log.read() },
    textStream: { [Symbol.asyncIterator]: () => textStream(engine, end.promise) },
    result: end.promise,
    get whenIdle() {
      if (engine.output !== undefined) return end.promise
      if (engine.isSuspended && !engine.signals.isAnswering) return Promise.resolve(suspendedResult(engine))
      idle ??= Promise.withResolvers<RunResult>()
      return idle.promise
    },
    approve: (toolCallId) => answer('approve', toolCallId, { approved: true }),
    deny: (toolCallId, reason) =>
      answer('deny', toolCallId, { approved: false, ...(reason === undefined ? {} : { reason }) }),
    resume: (toolCallId, data) => {
      const json = toJsonValue(data, 'The data of resume()')
      answer('resume', toolCallId, { approved: true, data: json })
    },
    cancel: (reason = 'cancelled') => engine.signal({ type: 'cancel', reason }),
  }

  return {
    run,
    start() {
      signal?.addEventListener('abort', onAbort, { once: true })
      engine.start()
      if (signal?.aborted === true) onAbort()
    },
  }
}

export function resultOf(engine: Engine, output: AgentOutput): FinalResult {
  const usage = { ...totalUsage(output.usage), byAgent: output.usage }
  return finalResult(engine.runId, output, usage, (id) => engine.stamper.durationOf(id))
}

/** What there is so far, and what is awaited. */
function suspendedResult(engine: Engine): SuspendedResult {
  const { delegations, scores, steps, usage } = resultOf(engine, partialOutput(engine.agent))
  return {
    runId: engine.runId,
    outcome: 'suspended',
    text: '',
    awaiting: engine.signals.awaiting(),
    delegations,
    scores,
    steps,
    usage,
  }
}

async function* textStream(engine: Engine, result: Promise<FinalResult>): AsyncGenerator<string> {
  const isOwn = (event: RunEvent): boolean => event.delegationId === undefined
  for await (const event of engine.stamper.log.read()) {
    if (event.type !== 'text-delta' || !isOwn(event)) continue
    yield event.payload.text
  }
  const end = await result
  if (end.outcome === 'bailed') yield end.text
}

function reasonOf(reason: unknown): string {
  return reason == null ? 'aborted' : toErrorData(reason).message
}
