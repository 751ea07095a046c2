/** Collects the actions of `enqueueActions`, without making XState's objects of the frequent ones. */
import { cancel, raise, sendParent, sendTo, type AnyEventObject } from 'xstate'
import type { Expression } from './xstate-actions.ts'
import { operationOfAction, type Operation, type Spawning } from './operations.ts'

type EventOrExpression = AnyEventObject | Expression<AnyEventObject>

/** An operation, or an action by its name, with parameters or as a function. */
export type Enqueued = Operation | { readonly kind: 'named'; readonly named: unknown }

/** That of the function which enqueues now. All share one `enqueue`: it is of no use when that function has returned. */
let list: Enqueued[] | undefined

function add(operation: Operation): void {
  list?.push(operation)
}

/** Actions that are rare, as XState makes them. */
function rare(make: unknown) {
  return (...args: readonly unknown[]): void =>
    add(operationOfAction((make as (...args: readonly unknown[]) => unknown)(...args)))
}

/** The `enqueue` of all functions of `enqueueActions`. */
export const enqueue = Object.assign(
  (named: unknown): void => {
    list?.push({ kind: 'named', named })
  },
  {
    assign: (assignment: Expression<object> | Readonly<Record<string, unknown>>) =>
      add({ kind: 'assign', assignment, params: undefined }),
    emit: (event: EventOrExpression) => add({ kind: 'emit', event, params: undefined }),
    spawnChild: (src: unknown, options: Partial<Omit<Spawning, 'src'>> = {}) => {
      const { id, systemId, input, syncSnapshot = false } = options
      add({ kind: 'spawn', src, id, systemId, input, syncSnapshot, params: undefined })
    },
    stopChild: (actor: unknown) => add({ kind: 'stop', actor, params: undefined }),
    raise: rare(raise),
    sendTo: rare(sendTo),
    sendParent: rare(sendParent),
    cancel: rare(cancel),
  },
)

/** The actions that `collect` enqueues. */
export function collected(
  collect: (args: object, params: unknown) => void,
  args: object,
  params: unknown,
): readonly Enqueued[] {
  const outer = list
  const own: Enqueued[] = []
  list = own
  try {
    collect(args, params)
  } finally {
    list = outer
  }
  return own
}
