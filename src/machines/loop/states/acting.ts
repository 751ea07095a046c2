/**
 * `acting`: the calls of one step, side by side within the window. A call that waits for a person gives up its
 * place; when nothing else is left, the agent itself is held, and its parent is told.
 */
import {
  childOf,
  crashTakenDown,
  crashTakenDownInBackground,
  reportOf,
  takenDown,
  takenDownInBackground,
} from '../child-events.ts'
import { loopSetup } from '../setup.ts'

/** Reports of children: taken down, and the child reaped. */
export function onReports(target?: string) {
  const next = target === undefined ? {} : { target }
  return {
    'xstate.done.actor.*': { ...next, actions: [...takenDown] },
    'xstate.error.actor.*': { ...next, actions: [...crashTakenDown] },
  } as const
}

const isBackground = { type: 'isBackground', params: childOf } as const

/**
 * Reports of delegations in the background, which may come in any state. They come before other reports. Where `bails`
 * is false, the state itself looks whether one has bailed.
 */
export function reportedInBackground(target?: string, { bails = true } = {}) {
  const next = target === undefined ? {} : { target }
  const bailed = {
    guard: { type: 'isBackgroundBail', params: reportOf },
    target: '#bailing',
    actions: ['abortEffects', ...takenDownInBackground],
  } as const
  return {
    'xstate.done.actor.*': [
      ...(bails ? [bailed] : []),
      { ...next, guard: isBackground, actions: [...takenDownInBackground, 'startInBackground'] },
    ],
    'xstate.error.actor.*': [
      { ...next, guard: isBackground, actions: [...crashTakenDownInBackground, 'startInBackground'] },
    ],
  } as const
}

/** Reports of those who were told to end, some of them in the background: no other is started. */
export function onLastReports() {
  const reports = onReports()
  return {
    'xstate.done.actor.*': [
      { guard: isBackground, actions: [...takenDownInBackground] },
      reports['xstate.done.actor.*'],
    ],
    'xstate.error.actor.*': [
      { guard: isBackground, actions: [...crashTakenDownInBackground] },
      reports['xstate.error.actor.*'],
    ],
  } as const
}

/** `acting`: ends in `afterStep`, or where an agent has bailed in `whenBailed`: only then are there delegations. */
export function acting<const After extends string, const Bailed extends string>(options: {
  afterStep: After
  whenBailed?: Bailed
  /** Where nobody is to be asked, the model speaks again at once, without the gates between. Default: `false`. */
  mayGoOn?: boolean
  /** A call among those of the step may hand the conversation to another agent. Default: `false`. */
  handsOff?: boolean
}) {
  const { afterStep, whenBailed, mayGoOn = false, handsOff = false } = options
  const reports = onReports('.dispatching')
  const inBackground = reportedInBackground('.dispatching', { bails: false })
  const delegates = whenBailed !== undefined
  const start = delegates ? (['startCalls', 'startInBackground'] as const) : (['startCalls'] as const)
  const lastReport = [
    ...reports['xstate.done.actor.*'].actions,
    'moveToolState' as const,
    'recordStep' as const,
    'announceStepFinish' as const,
  ]
  const iterationEnds = delegates
    ? [{ type: 'announceIterationEnd' as const, params: { continue: true } }]
    : []
  const stepFinishes = ['moveToolState' as const, 'recordStep' as const, 'announceStepFinish' as const]
  const stepEnds = [
    ...(handsOff
      ? [
          {
            guard: 'allSettledAndHandsOff' as const,
            target: '#handingOff' as const,
            actions: [...stepFinishes],
          },
        ]
      : []),
    { guard: 'allSettled' as const, target: afterStep, actions: [...stepFinishes] },
  ]
  return loopSetup.createStateConfig({
    id: 'acting',
    description: 'Tool calls and delegations of this step, side by side within the window.',
    entry: ['announceRefusedCalls', ...start],
    initial: 'collecting',
    on: {
      'budget.spent': delegates ? '#expiringIteration' : '#expiring',
      'xstate.done.actor.*': [
        ...(delegates ? inBackground['xstate.done.actor.*'] : []),
        ...(handsOff
          ? [
              {
                guard: { type: 'endsStepAndHandsOff' as const, params: reportOf },
                target: '#handingOff' as const,
                actions: [...lastReport],
              },
            ]
          : []),
        ...(mayGoOn
          ? [
              {
                guard: { type: 'endsStepAndGoesOn' as const, params: reportOf },
                target: '#thinking' as const,
                actions: [...lastReport, ...iterationEnds],
              },
            ]
          : []),
        { guard: { type: 'endsStep', params: reportOf }, target: afterStep, actions: [...lastReport] },
        reports['xstate.done.actor.*'],
      ],
      'xstate.error.actor.*': [
        ...(delegates ? inBackground['xstate.error.actor.*'] : []),
        reports['xstate.error.actor.*'],
      ],
      ...onHeld('.dispatching'),
    },
    states: {
      dispatching: {
        description: 'After a report: nothing queued is started once a bail is recorded.',
        always: [
          ...(delegates ? [{ guard: 'isBailing' as const, target: whenBailed }] : []),
          ...stepEnds,
          { target: 'collecting', actions: [...start] },
        ],
      },
      collecting: {
        always: [...(delegates ? stepEnds : []), { guard: 'onlyHeldLeft', target: 'held' }],
      },
      held: {
        description: 'Only calls that wait for a person are left.',
        entry: 'announceHeld',
        exit: 'announceReleased',
      },
    },
  })
}

/** A child waits for a person, or no longer does. With `delegates` its place in the background is free meanwhile. */
export function onHeld(target?: string, { delegates = false } = {}) {
  const next = target === undefined ? {} : { target }
  const recorded = (isHeld: boolean) => ({
    ...next,
    actions: [
      {
        type: 'recordHeld' as const,
        params: ({ event }: { event: { child: string } }) => ({ child: event.child, isHeld }),
      },
      ...(delegates ? ['startInBackground' as const] : []),
    ],
  })
  return { 'child.held': recorded(true), 'child.released': recorded(false) }
}
