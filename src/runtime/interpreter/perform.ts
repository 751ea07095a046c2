/** Runs the actions of a macrostep. */
import {
  cancel,
  raise as raiseAction,
  sendParent,
  sendTo,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
} from 'xstate'
import {
  executeEmit,
  executeSpawn,
  executeStop,
  type ActionArgs,
  type BuiltIn,
  type Execute,
  type Expression,
} from './xstate-actions.ts'
import { spawned } from './lean-actor.ts'
import { testOf } from './guards.ts'
import { operationOf, operationOfAction, type Operation, type Spawning } from './operations.ts'
import { Args, type Work } from './work.ts'

/** A built-in action whose target may be there only after the other actions. */
type Retry = readonly [action: BuiltIn, params: unknown]

/** The argument of a function that enqueues actions. A copy by `...` lacks `enqueue` and `check`: no chart of ours makes one. */
class CollectArgs extends Args {
  readonly #work: Work

  constructor(work: Work, event: AnyEventObject) {
    super(work.context, event, work.scope)
    this.#work = work
  }

  get enqueue(): typeof enqueue {
    return enqueue
  }

  get check(): (guard: unknown) => boolean {
    return (guard) => testOf(this.#work.machine, guard)(this.#work, this.event)
  }
}

type EventOrExpression = AnyEventObject | Expression<AnyEventObject>

/** An operation, or an action by its name, with parameters or as a function. */
type Enqueued = Operation | { readonly kind: 'named'; readonly named: unknown }

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
const enqueue = Object.assign(
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
    raise: rare(raiseAction),
    sendTo: rare(sendTo),
    sendParent: rare(sendParent),
    cancel: rare(cancel),
  },
)

/** The actions that `collect` enqueues. */
function collected(
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

/** Runs actions in their order. `invoked`: children that come to be among them. */
export function perform(
  work: Work,
  event: AnyEventObject,
  operations: readonly Operation[],
  invoked?: readonly string[],
): void {
  if (operations.length === 0) return
  const retries: Retry[] | undefined = invoked && []
  for (const operation of operations) performOne(work, event, operation, invoked, retries)
  for (const [action, params] of retries ?? []) action.retryResolve?.(work.scope, work, params)
}

function performOne(
  work: Work,
  event: AnyEventObject,
  operation: Operation,
  invoked: readonly string[] | undefined,
  retries: Retry[] | undefined,
): void {
  const args = work.argsFor(event)
  const { params: given } = operation
  const params = typeof given === 'function' ? (given as (args: object) => unknown)(args) : given
  switch (operation.kind) {
    case 'assign':
      return assign(work, args, operation.assignment, params)
    case 'emit':
      return execute(work, 'xstate.emit', executeEmit, args, {
        event: valueOf(operation.event, args, params),
      })
    case 'raise':
      return raise(work, args, valueOf(operation.event, args, params))
    case 'spawn':
      return spawn(work, args, operation)
    case 'stop':
      return stop(work, args, operation.actor, params)
    case 'enqueue': {
      for (const one of collected(operation.collect, new CollectArgs(work, event), params)) {
        const next = one.kind === 'named' ? operationOf(work.machine, one.named) : one
        performOne(work, event, next, invoked, retries)
      }
      return
    }
    case 'custom': {
      const { type, exec } = operation
      work.scope.actionExecutor({ type, info: args as never, params, exec: exec as never })
      return
    }
    case 'other':
      return resolve(work, args, operation.action, params, invoked, retries)
  }
}

function raise(work: Work, args: ActionArgs, event: AnyEventObject): void {
  work.queue.push(event)
  // There is nothing to execute; a scope that lists actions lists it.
  if (work.execution === 'scope') execute(work, 'xstate.raise', () => undefined, args, { event })
}

function execute(work: Work, type: string, run: Execute, args: ActionArgs, params: unknown): void {
  const { scope } = work
  if (work.execution === 'scope')
    scope.actionExecutor({ type, info: args as never, params, exec: () => run(scope, params) })
  else run(scope, params)
}

function valueOf<Value>(given: Value | Expression<Value>, args: ActionArgs, params: unknown): Value {
  return typeof given === 'function' ? (given as Expression<Value>)(args, params) : given
}

function assign(
  work: Work,
  args: ActionArgs,
  assignment: Expression<object> | Readonly<Record<string, unknown>>,
  params: unknown,
): void {
  const context = work.context as Readonly<Record<string, unknown>>
  if (typeof assignment === 'function') {
    const change = assignment(args, params)
    if (!isEmpty(change)) work.context = { ...context, ...change }
  } else {
    const changed = { ...context }
    for (const key of Object.keys(assignment)) changed[key] = valueOf(assignment[key], args, params)
    work.context = changed
  }
  work.isChanged = true
}

/** Nothing is assigned: the context stays, and so do the arguments made for it. */
function isEmpty(change: object): boolean {
  for (const _key in change) return false
  return true
}

function spawn(work: Work, args: ActionArgs, { id, systemId, src, input, syncSnapshot }: Spawning): void {
  const { scope, machine } = work
  const { actors }: { readonly actors: Readonly<Record<string, unknown>> } = machine.implementations
  const logic = typeof src === 'string' ? actors[src] : src
  const childId = typeof id === 'function' ? id(args, undefined) : id
  if (logic === undefined) {
    work.addChild(String(childId), undefined)
    return execute(work, 'xstate.spawnChild', executeSpawn, args, { id, systemId, src })
  }
  const given: unknown = typeof input === 'function' ? (input as (args: object) => unknown)(args) : input
  const options = { id: childId, src, syncSnapshot, systemId, input: given }
  const child = spawned(logic as AnyActorLogic, scope.self, options)
  work.addChild(String(childId), child)
  execute(work, 'xstate.spawnChild', executeSpawn, args, { id, systemId, actorRef: child, src, input: given })
}

function stop(work: Work, args: ActionArgs, actor: unknown, params: unknown): void {
  const given = valueOf(actor, args, params)
  const child = typeof given === 'string' ? work.child(given) : (given as AnyActorRef | undefined)
  work.isChanged = true
  if (child !== undefined) work.removeChild(child.id)
  execute(work, 'xstate.stopChild', executeStop, args, child)
}

/** Stops all children. They stay in the snapshot of a machine that has ended. */
export function stopChildren(work: Work, event: AnyEventObject): void {
  const args = work.argsFor(event)
  for (const child of Object.values(work.children)) {
    execute(work, 'xstate.stopChild', executeStop, args, child)
  }
}

/** Stops all children of a machine that is stopped, or that the error of a child ends. They leave its snapshot. */
export function removeChildren(work: Work, event: AnyEventObject): void {
  stopChildren(work, event)
  for (const child of Object.values(work.children)) if (child !== undefined) work.removeChild(child.id)
}

function resolve(
  work: Work,
  args: ActionArgs,
  action: BuiltIn,
  params: unknown,
  invoked: readonly string[] | undefined,
  retries: Retry[] | undefined,
): void {
  const extra = { internalQueue: work.queue, deferredActorIds: invoked }
  const [, resolved] = action.resolve(work.scope, work, args, params, action, extra)
  if (action.retryResolve !== undefined) retries?.push([action, resolved])
  if (action.execute !== undefined) execute(work, action.type, action.execute, args, resolved)
}
