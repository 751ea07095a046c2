/** The base of the think-act loop: its input, context, events and output, and the actors that it starts. */
// oxlint-disable-next-line import/no-unassigned-import -- it refuses an unfit version before anything else is loaded
import '../shared/fit-xstate.ts'
import { setup, type DoneActorEvent, type ErrorActorEvent } from 'xstate'
import { effect } from '../../actors/effects/effect.ts'
import type { AgentInput, ChildHeldEvent, AgentReport } from '../contract/agent.ts'
import type { BudgetSpentEvent, CancelEvent } from '../contract/cancel.ts'
import { compactionMachine, type CompactionMachine } from '../compaction.ts'
import { completionMachine, type CompletionMachine } from '../completion.ts'
import { decisionMachine, type DecisionMachine } from '../decision.ts'
import { delegationMachine, type DelegationMachine } from '../delegation.ts'
import type { MachineEvent } from '../contract/events.ts'
import type { SayEvent } from '../contract/sayings.ts'
import { screeningMachine, type ScreeningMachine } from '../screening.ts'
import { toolCallMachine, type ToolCallMachine } from '../tool-call.ts'
import type { LoopContext } from './changes/context.ts'
import type { Report } from '../contract/reports.ts'

type LoopEvent =
  SayEvent | CancelEvent | BudgetSpentEvent | ChildHeldEvent | DoneActorEvent<Report> | ErrorActorEvent

/** The charts of children are made for the first run, and not by the import. */
const actors = {
  model: effect('model'),
  hook: effect('hook'),
  memory: effect('memory'),
  config: effect('config'),
  timer: effect('timer'),
  signal: effect('signal'),
  get toolCall(): ToolCallMachine {
    return toolCallMachine()
  },
  get delegation(): DelegationMachine {
    return delegationMachine()
  },
  get completion(): CompletionMachine {
    return completionMachine()
  },
  get compaction(): CompactionMachine {
    return compactionMachine()
  },
  get decision(): DecisionMachine {
    return decisionMachine()
  },
  get screening(): ScreeningMachine {
    return screeningMachine()
  },
}

export const loopBase = setup({
  types: {
    input: {} as AgentInput,
    context: {} as LoopContext,
    events: {} as LoopEvent,
    output: {} as AgentReport,
    emitted: {} as MachineEvent,
  },
  actors,
})
