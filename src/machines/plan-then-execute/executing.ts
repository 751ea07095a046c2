/** `executing` and `bailing`: steps run as soon as what they need is there, side by side within the window. */
import { onHeld, onReports } from '../loop/acting.ts'
import { childOf, crashOf, reportOf } from '../loop/reports.ts'
import { calledOf, crashedEndOf, endOf } from './reports.ts'
import { planSetup } from './setup.ts'

const settled = [
  { type: 'recordReport', params: reportOf },
  { type: 'moveToolState', params: calledOf },
  { type: 'settleStep', params: endOf },
  { type: 'reap', params: childOf },
] as const

export const executing = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'executing',
  description: 'The steps of the plan. Once one has failed or changed the plan, no other begins.',
  initial: 'dispatching',
  on: {
    'xstate.done.actor.*': [
      { guard: { type: 'bailsStep', params: reportOf }, target: '#bailing', actions: settled },
      { target: '.dispatching', actions: settled },
    ],
    'xstate.error.actor.*': {
      target: '.dispatching',
      actions: [
        { type: 'recordCrash', params: crashOf },
        { type: 'settleStep', params: crashedEndOf },
        { type: 'reap', params: childOf },
      ],
    },
    ...onHeld('.dispatching'),
  },
  states: {
    dispatching: {
      description: 'May a step begin or go on, or is there one to wait for?',
      always: [{ guard: 'isUnderWay', target: 'collecting', actions: 'startSteps' }, { target: '#deciding' }],
    },
    collecting: { always: { guard: 'onlyHeldLeft', target: 'held' } },
    held: {
      description: 'Only steps that wait for a person are left.',
      entry: 'announceHeld',
      exit: 'announceReleased',
    },
  },
})

export const bailing = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'bailing',
  description:
    "A subagent's answer is the run's answer. The others are told, and report before the run ends.",
  entry: { type: 'cancelChildren', params: { cause: 'bail', reason: 'Another agent bailed.' } },
  always: {
    guard: 'noLiveChildren',
    target: '#finishing',
    actions: { type: 'end', params: { outcome: 'bailed' } },
  },
  on: { cancel: {}, ...onReports() },
})
