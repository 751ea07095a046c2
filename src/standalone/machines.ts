/**
 * The machines of the library for plain XState: their effects, and the agents below them, wait until they are settled by
 * hand. In a run the same machines are started by its state, with effects that its engine performs.
 */
import type { AnyStateMachine } from 'xstate'
import { waitingEffect } from '../actors/effects/effect.ts'
import { once } from '../actors/values/once.ts'
import { compactionMachine as compaction } from '../machines/compaction.ts'
import { completionMachine as completion } from '../machines/completion.ts'
import { debateMachine as debate } from '../machines/debate.ts'
import { decisionMachine as decision } from '../machines/decision.ts'
import { delegationMachine as delegation } from '../machines/delegation.ts'
import { dispatchMachine as dispatch } from '../machines/dispatch.ts'
import { fanOutMachine as fanOut } from '../machines/fan-out.ts'
import { metaRouterMachine as metaRouter } from '../machines/meta-router.ts'
import { planThenExecuteMachine as planThenExecute } from '../machines/plan-then-execute.ts'
import { reactMachine as react } from '../machines/react.ts'
import { reflexionMachine as reflexion } from '../machines/reflexion.ts'
import { routerMachine as router } from '../machines/router.ts'
import { screeningMachine as screening } from '../machines/screening.ts'
import { supervisorMachine as supervisor } from '../machines/supervisor.ts'
import { toolCallMachine as toolCall } from '../machines/tool-call.ts'

const effects = /* @__PURE__ */ once(() => ({
  model: waitingEffect('model'),
  tool: waitingEffect('tool'),
  hook: waitingEffect('hook'),
  scorer: waitingEffect('scorer'),
  signal: waitingEffect('signal'),
  memory: waitingEffect('memory'),
  config: waitingEffect('config'),
  timer: waitingEffect('timer'),
  agent: waitingEffect('agent'),
}))

function standalone<Machine extends AnyStateMachine>(chart: () => Machine, more: () => object = effects) {
  return once(() => chart().provide({ actors: more() } as never) as Machine)
}

/** Makes a conversation shorter by summaries. The source `compaction` is an effect here, and this machine in other charts. */
export const compactionMachine: typeof compaction = /* @__PURE__ */ standalone(compaction, () => ({
  ...effects(),
  compaction: waitingEffect('compaction'),
}))
/** Scores one answer with all scorers. */
export const completionMachine: typeof completion = /* @__PURE__ */ standalone(completion)
/** Checks messages of people by input processors. */
export const screeningMachine: typeof screening = /* @__PURE__ */ standalone(screening)
/** One tool call: validated, approved, executed and retried. */
export const toolCallMachine: typeof toolCall = /* @__PURE__ */ standalone(toolCall)
/** One delegation to a subagent. The subagent is an effect of the kind `agent`: its outcome is the report of the agent. */
export const delegationMachine: typeof delegation = /* @__PURE__ */ standalone(delegation)
/** One decision of a model, as JSON. */
export const decisionMachine: typeof decision = /* @__PURE__ */ standalone(decision, () => ({
  ...effects(),
  compaction: compactionMachine(),
}))

const children = /* @__PURE__ */ once(() => ({
  ...effects(),
  compaction: compactionMachine(),
  completion: completionMachine(),
  decision: decisionMachine(),
  delegation: delegationMachine(),
  screening: screeningMachine(),
  toolCall: toolCallMachine(),
}))

/** The machine of `createAgent`. */
export const reactMachine: typeof react = /* @__PURE__ */ standalone(react, children)
/** The machine of `createSupervisor`. */
export const supervisorMachine: typeof supervisor = /* @__PURE__ */ standalone(supervisor, children)
/** The machine of `createRouter`. */
export const routerMachine: typeof router = /* @__PURE__ */ standalone(router, children)
/** The machine of `createDispatcher`. */
export const dispatchMachine: typeof dispatch = /* @__PURE__ */ standalone(dispatch, children)
/** The machine of `createPlanner`. */
export const planThenExecuteMachine: typeof planThenExecute = /* @__PURE__ */ standalone(
  planThenExecute,
  children,
)
/** The machine of `createFanOut`. */
export const fanOutMachine: typeof fanOut = /* @__PURE__ */ standalone(fanOut, children)
/** The machine of `createMetaRouter`. */
export const metaRouterMachine: typeof metaRouter = /* @__PURE__ */ standalone(metaRouter, children)
/** The machine of `createReflexion`. */
export const reflexionMachine: typeof reflexion = /* @__PURE__ */ standalone(reflexion, children)
/** The machine of `createDebate`. */
export const debateMachine: typeof debate = /* @__PURE__ */ standalone(debate, children)
