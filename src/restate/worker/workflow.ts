/** The workflow service of one agent. */
import {
  handlers,
  workflow,
  RestatePromise,
  type WorkflowDefinition,
  type WorkflowSharedContext,
  type WorkflowOptions,
} from '@restatedev/restate-sdk'
import { reportSerde, encodedJson } from '../wire/bounded-serdes.ts'
import { DurableRun, type RunHome } from './durable-run.ts'
import { forRestate, toRestateError } from '../wire/terminal-errors.ts'
import { serviceOf } from '../wire/addresses.ts'
import { assertRequest, largest } from '../wire/payload-limits.ts'
import { tellWorkflow } from './signal-handler.ts'
import {
  names,
  type AgentHandlers,
  type ReadReply,
  type ReadRequest,
  type RunReport,
  type RunRequest,
  type Tell,
  type Told,
  type KeptTurn,
} from '../wire/wire.ts'

export type AgentWorkflow = WorkflowDefinition<string, AgentHandlers>

/** Short calls beside the run: their journals have no use afterwards. */
const beside = { journalRetention: 0 } as const

export function workflowOf(agentId: string, home: RunHome, settings: WorkflowSettings): AgentWorkflow {
  return workflow({
    name: serviceOf(home.namespace, agentId),
    handlers: {
      run: handlers.workflow.workflow<RunReport, RunRequest>(
        { output: reportSerde },
        async (context, request) => {
          try {
            assertRequest('What the run begins with', context.request().body.length)
            return await new DurableRun(context, request, home).run()
          } catch (error) {
            throw forRestate(error)
          }
        },
      ),
      tell: handlers.workflow.shared<Told, Tell>(beside, (context, told) =>
        tellWorkflow(context, told, home.registry),
      ),
      read: handlers.workflow.shared<ReadReply, ReadRequest>(beside, readWorkflow),
    },
    options: {
      ...settings,
      // The run itself handles a cancel: each of its agents still owes an outcome.
      explicitCancellation: true,
      enableLazyState: true,
      asTerminalError: toRestateError,
    },
  })
}

/** The settings of agent workflows on Restate. The server's own settings hold where none are given. */
export type WorkflowSettings = Pick<
  WorkflowOptions,
  'retryPolicy' | 'inactivityTimeout' | 'abortTimeout' | 'journalRetention' | 'workflowRetention'
>

/** Milliseconds. */
const longestPause = 5_000
const minute = 60 * 1_000
const day = 24 * 60 * minute

/**
 * Models and tools take their time. After the first timeout without progress Restate would wait only for the end of the
 * steps in progress, and the run would receive nothing before; after the second it would start them again. The server's
 * own timeouts are one minute and ten.
 */
export const defaultTimeouts = {
  inactivityTimeout: 10 * minute,
  abortTimeout: day,
} as const satisfies WorkflowSettings

/**
 * After a crash a run is retried soon: the server's own pauses grow to a minute. It is retried for about a day, since
 * the server's 70 attempts would be over in minutes, and a run that is paused then waits for manual action.
 */
export const defaultRetryPolicy = {
  initialInterval: 50,
  exponentiationFactor: 2,
  maxInterval: longestPause,
  maxAttempts: day / longestPause,
  onMaxAttempts: 'pause',
} as const satisfies WorkflowSettings['retryPolicy']

/** The most turns that are requested at once, after the first one. */
const longestStride = 16

/** Reads the journal of a workflow, while it is in progress and until Restate forgets it. */
async function readWorkflow(
  context: WorkflowSharedContext,
  { from, to = Number.POSITIVE_INFINITY }: ReadRequest,
): Promise<ReadReply> {
  const turns: KeptTurn[] = []
  let size = 0
  for (let stride = 1; ; stride = strideFor(size / turns.length)) {
    const first = from + turns.length
    // Each is a promise of Restate, although its type does not declare it.
    const gets = Array.from(
      { length: Math.min(stride, to - first) },
      (_, index) => context.get(names.turn(first + index), encodedJson) as RestatePromise<Uint8Array | null>,
    )
    const found = await RestatePromise.all(gets)
    const some = found.filter((turn) => turn !== null)
    for (const bytes of some) {
      size += bytes.length
      if (turns.length > 0 && size > largest.reply) return { ...replyOf(turns), isMore: true }
      turns.push(JSON.parse(decoder.decode(bytes)) as KeptTurn)
    }
    if (some.length < stride) return replyOf(turns)
  }
}

const decoder = new TextDecoder()

/** Requests few turns when they are large: a turn that is read and does not fit is read again. */
function strideFor(usualSize: number): number {
  return Math.max(1, Math.min(longestStride, Math.floor(largest.reply / usualSize)))
}

function replyOf(turns: readonly KeptTurn[]): ReadReply {
  return { turns: turns.map(({ invocation: _invocation, ...turn }) => turn) }
}
