/** Inputs and outcomes from which the cover suites of our machines are generated. */
import { z } from 'zod'
import { createTool, type ErrorData } from 'troupe'
import type { ExternalEvent, Failure, Outcome } from 'troupe/testing'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import type { AgentProfile } from '../../../src/machines/contract/agent.ts'
import type { BudgetSpentEvent, CancelEvent } from '../../../src/machines/contract/cancel.ts'
import type { EffectInput, HookOutcome } from '../../../src/actors/effects/effect-kinds.ts'
import type { HookName } from '../../../src/actors/effects/effect-names.ts'
import type { JsonValue } from '../../../src/actors/values/json.ts'
import { capDefaults } from '../../../src/runtime/options/option-table.ts'

export const failed: ErrorData = { name: 'Error', code: 'FAILED', message: 'it failed' }
const retryable: ErrorData = {
  name: 'RetryableError',
  code: 'RETRYABLE',
  message: 'not now',
  retryable: true,
}

export const fails: Failure = { name: 'fails', error: failed }
export const failsForNow: Failure = { name: 'fails for now', error: retryable }
export const timesOut: Failure = {
  name: 'times out',
  error: { name: 'TimeoutError', code: 'HOOK_TIMEOUT', message: 'too late' },
}
export const fires: Outcome<null> = { name: 'fires', value: null }

export const cancel: ExternalEvent<CancelEvent> = {
  name: 'cancel',
  event: { type: 'cancel', cause: 'cancel', reason: 'enough' },
}
export const cancelForBail: ExternalEvent<CancelEvent> = {
  name: 'cancel for a bail',
  event: { type: 'cancel', cause: 'bail' },
}

const input = z.object({ q: z.string() })
const common = { description: 'Looks something up.', execute: () => 'found' }

const tools = {
  plain: createTool({ id: 'plain', inputSchema: input, ...common }),
  approved: createTool({ id: 'approved', inputSchema: input, requireApproval: true, ...common }),
  predicated: createTool({ id: 'predicated', inputSchema: input, requireApproval: () => true, ...common }),
  deadlined: createTool({
    id: 'deadlined',
    inputSchema: input,
    requireApproval: true,
    approvalTimeout: 1_000,
    ...common,
  }),
  asked: createTool({ id: 'asked', inputSchema: input, onInterrupted: 'ask', ...common }),
  mortal: createTool({ id: 'mortal', inputSchema: input, maxInterruptions: 1, timeout: 1_000, ...common }),
  failing: createTool({ id: 'failing', inputSchema: input, onInterrupted: 'fail', ...common }),
  approvedLater: createTool({
    id: 'approvedLater',
    inputSchema: input.refine(async () => true),
    requireApproval: true,
    ...common,
  }),
  later: createTool({ id: 'later', inputSchema: input.refine(async () => true), ...common }),
}

export const toolset = Toolset.of(tools, {
  researcher: { id: 'researcher', description: 'Finds facts.' },
  writer: { id: 'writer', description: 'Writes.' },
})

export const profile: AgentProfile = {
  id: 'lead',
  model: 'scripted/scripted',
  instructions: 'Lead.',
  toolset,
  dynamic: [],
  toolGroups: undefined,
  toolState: 'undefined',
  maxSteps: 2,
  maxDepth: 2,
  toolCallConcurrency: 1,
  maxToolCallsPerStep: undefined,
  retries: 1,
  onExhausted: 'finalTurn',
  bailStrategy: 'first',
  scoreEvery: 'answer',
  hookErrors: 'fail',
  hookTimeout: 60_000,
  modelTimeout: undefined,
  hooks: {},
  delegation: {
    includeConversationHistory: true,
    filterInternalMessages: true,
    maxMessages: 20,
    includeSubAgentToolResultsInModelContext: false,
    timeout: undefined,
  },
  completion: undefined,
  background: {},
  caps: capDefaults,
  route: undefined,
  reviewSteps: false,
  toolChoice: 'auto',
  maxRepeatedCalls: undefined,
  memory: undefined,
  processors: { input: [], output: [], stream: [] },
  maxProcessorRetries: 1,
  responseFormat: undefined,
}

export const spent: ExternalEvent<BudgetSpentEvent> = {
  name: 'budget spent',
  event: {
    type: 'budget.spent',
    error: { name: 'BudgetExceededError', code: 'BUDGET_EXCEEDED', message: 'The time is up.' },
  },
}

type HookOutcomes = { readonly [Name in HookName]?: readonly Outcome<HookOutcome<Name>>[] }

/** The outcomes of `hook` effects, by the name of the hook. They are JSON; the type of an error does not say so. */
export function hooksOf(table: HookOutcomes) {
  return ({ hook }: EffectInput<'hook'>) => (table[hook] ?? []) as readonly Outcome<JsonValue>[]
}
