/**
 * `acting`: the calls of one step, side by side within the window. A call that waits for a person gives up its
 * place; when nothing else is left, the agent itself is held, and its parent is told.
 */
import { failure } from '../params.ts'
import type { Report } from './record.ts'
import { loopSetup } from './setup.ts'

/** Reports of children: taken down, and the child reaped. */
export function onReports(target?: string) {
  const next = target === undefined ? {} : { target }
  return {
    'xstate.done.actor.*': {
      ...next,
      actions: [
        {
          type: 'recordReport',
          params: reportOf,
        },
        { type: 'reap', params: childOf },
      ],
    },
    'xstate.error.actor.*': {
      ...next,
      actions: [
        {
          type: 'recordCrash',
          params: ({ event }: { event: { actorId: string; error: unknown } }) => ({
            child: event.actorId,
            error: failure({ event }),
          }),
        },
        { type: 'reap', params: childOf },
      ],
    },
  } as const
}

const reportOf = ({ event }: { event: { actorId: string; output: Report } }) => ({
  child: event.actorId,
  report: event.output,
})

const childOf = ({ event }: { event: { actorId: string } }) => ({ child: event.actorId })

/** `acting`: ends in `afterStep`, or where an agent has bailed in `whenBailed`. */
export function acting<const After extends string, const Bailed extends string>(options: {
  afterStep: After
  whenBailed?: Bailed
}) {
  const reports = onReports('.dispatching')
  return loopSetup.createStateConfig({
    id: 'acting',
    description: 'Tool calls and delegations of this step, side by side within the window.',
    entry: 'startCalls',
    initial: 'collecting',
    on: {
      ...reports,
      'xstate.done.actor.*': [
        {
          guard: { type: 'endsStep', params: reportOf },
          target: options.afterStep,
          actions: [...reports['xstate.done.actor.*'].actions, 'recordStep', 'announceStepFinish'],
        },
        reports['xstate.done.actor.*'],
      ],
      'child.held': {
        target: '.dispatching',
        actions: { type: 'recordHeld', params: ({ event }) => ({ child: event.child, state: 'held' }) },
      },
      'child.released': {
        target: '.dispatching',
        actions: { type: 'recordHeld', params: ({ event }) => ({ child: event.child, state: 'running' }) },
      },
    },
    states: {
      dispatching: {
        description: 'After a report: nothing queued is started once a bail is recorded.',
        always: [
          ...(options.whenBailed === undefined
            ? []
            : [{ guard: 'isBailing' as const, target: options.whenBailed }]),
          { guard: 'allSettled', target: options.afterStep, actions: ['recordStep', 'announceStepFinish'] },
          { target: 'collecting', actions: 'startCalls' },
        ],
      },
      collecting: {
        always: { guard: 'onlyHeldLeft', target: 'held' },
      },
      held: {
        description: 'Only calls that wait for a person are left.',
        entry: 'announceHeld',
        exit: 'announceReleased',
      },
    },
  })
}
