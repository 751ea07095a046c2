/** What the types of XState do not check in the config of a machine. Each finding is one line. */
interface Transition {
  readonly target?: string | readonly string[]
  readonly guard?: unknown
  readonly actions?: unknown
}

interface Invoke {
  readonly id?: string
  readonly src?: unknown
  readonly onDone?: unknown
  readonly onError?: unknown
  readonly onSnapshot?: unknown
}

export interface StateConfig {
  readonly id?: string
  readonly type?: string
  readonly initial?: string
  readonly states?: Readonly<Record<string, StateConfig>>
  readonly on?: Readonly<Record<string, unknown>>
  readonly always?: unknown
  readonly after?: unknown
  readonly invoke?: Invoke | readonly Invoke[]
  readonly entry?: unknown
  readonly exit?: unknown
  readonly onDone?: unknown
  readonly output?: unknown
}

export interface MachineParts {
  readonly id: string
  readonly config: StateConfig
  readonly implementations: {
    readonly guards?: object
    readonly actions?: object
    readonly actors?: object
  }
}

interface State {
  readonly id: string
  readonly config: StateConfig
  readonly parent: State | undefined
}

export function findingsIn({ id, config, implementations }: MachineParts): string[] {
  const states = statesBelow({ id, config, parent: undefined })
  const rules = [
    (state: State) => unresolved(state, states),
    initials,
    forbidden,
    invokes,
    (state: State) => unimplemented(state, implementations),
  ]
  return states.flatMap((state) => rules.flatMap((rule) => rule(state).map((text) => `${state.id}: ${text}`)))
}

function statesBelow(state: State): State[] {
  const children = Object.entries(state.config.states ?? {}).map(([key, config]) => ({
    id: config.id ?? `${state.id}.${key}`,
    config,
    parent: state,
  }))
  return [state, ...children.flatMap(statesBelow)]
}

function transitionsOf({ config }: State): Transition[] {
  const { on = {}, always, onDone } = config
  const invoked = invokesOf(config).flatMap((invoke) => [invoke.onDone, invoke.onError, invoke.onSnapshot])
  return [...Object.values(on), always, onDone, ...invoked]
    .flatMap(listOf)
    .map((transition) =>
      typeof transition === 'string' ? { target: transition } : (transition as Transition),
    )
}

function invokesOf({ invoke }: StateConfig): Invoke[] {
  return listOf(invoke) as Invoke[]
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** `#id`, `#id.below`, `.child` and `sibling`, as XState reads them. */
function unresolved(state: State, states: readonly State[]): string[] {
  return transitionsOf(state)
    .flatMap(({ target }) => listOf(target) as string[])
    .filter((target) => {
      const [first = '', ...below] = target.split('.')
      if (first.startsWith('#')) return !leads(states.find(({ id }) => id === first.slice(1))?.config, below)
      if (first === '') return !leads(state.config, below)
      return !leads(state.parent?.config, [first, ...below])
    })
    .map((target) => `the target "${target}" does not exist`)
}

function leads(from: StateConfig | undefined, path: readonly string[]): boolean {
  return path.reduce<StateConfig | undefined>((config, key) => config?.states?.[key], from) !== undefined
}

function initials({ config }: State): string[] {
  const { initial, states, type } = config
  if (states === undefined || type === 'parallel') return []
  if (initial === undefined) return ['has states and no initial one']
  return initial in states ? [] : [`the initial state "${initial}" does not exist`]
}

function forbidden({ config }: State): string[] {
  return [
    ...(config.after === undefined ? [] : ['has an "after"; time is a timer effect']),
    ...(config.on !== undefined && '*' in config.on ? ['listens to "*", which swallows errors'] : []),
    ...(config.always !== undefined && config.invoke !== undefined
      ? ['has an "always" beside an "invoke"; the choice needs a gate state']
      : []),
  ]
}

function invokes({ config }: State): string[] {
  return invokesOf(config)
    .filter(({ id }) => typeof id !== 'string')
    .map(({ src }) => `the invoke of ${nameOf(src) ?? 'an inline actor'} has no id`)
}

function unimplemented(state: State, { guards, actions, actors }: MachineParts['implementations']): string[] {
  const { entry, exit } = state.config
  const transitions = transitionsOf(state)
  const usedGuards = transitions.flatMap(({ guard }) => listOf(guard))
  const usedActions = [entry, exit, ...transitions.map((one) => one.actions)].flatMap(listOf)
  const usedActors = invokesOf(state.config).map(({ src }) => src)
  return [
    ...missing('guard', usedGuards, guards),
    ...missing('action', usedActions, actions),
    ...missing('actor', usedActors, actors),
  ]
}

function missing(what: string, used: readonly unknown[], implemented: object = {}): string[] {
  return used.flatMap((one) => {
    const name = nameOf(one)
    if (name === undefined) return [`has an inline ${what}; it needs a name`]
    return name in implemented ? [] : [`the ${what} "${name}" is not implemented`]
  })
}

/** The name in `'name'` and `{ type: 'name' }`; `undefined` for what is written inline. */
function nameOf(reference: unknown): string | undefined {
  if (typeof reference === 'string') return reference
  if (typeof reference !== 'object' || reference === null || !('type' in reference)) return undefined
  return typeof reference.type === 'string' ? reference.type : undefined
}
