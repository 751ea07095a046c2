/** Caps and timeouts that another one of the tree always reaches first. */
import { plural } from '../../errors/texts.ts'
import { finding, type Finding } from './finding.ts'
import { linesOf } from './reachability.ts'
import { toolsOf, type AgentTree, type Place } from './tree.ts'

export function shadowed(tree: AgentTree): Finding[] {
  return [
    ...tree.byAgent.flatMap(([place]) => [...ownCaps(place), ...ownTimeouts(place)]),
    ...tree.places.flatMap((place) => [...delegatedTimeouts(place), ...inheritedDepth(place)]),
    ...wallClock(tree.root),
    ...linesOf(tree).flatMap(({ members: [, ...successors], maxHandoffs }) =>
      successors.flatMap((place) => inheritedHandoffs(place, maxHandoffs)),
    ),
    ...tree.places.flatMap((place) => (place === tree.root ? [] : budgetBelow(place))),
  ]
}

/** Both are given, and one of them is never reached. */
function ownCaps({ path, definition: { pattern }, settings, maxSteps, options }: Place): Finding[] {
  const { maxIterations, maxRounds, maxCritiques, rounds } = settings.caps ?? {}
  const steps = settings.maxSteps
  const found: Finding[] = []
  const shadow = (name: string, message: string): void => {
    found.push(finding('cap-shadowed', `${path}.${name}`, message))
  }
  if (steps !== undefined && maxIterations !== undefined && steps !== maxIterations) {
    const [larger, smaller] =
      steps > maxIterations ? ['maxSteps', 'maxIterations'] : ['maxIterations', 'maxSteps']
    shadow(larger, `It is never reached: ${smaller} is smaller, and the smaller one holds.`)
  }
  if (pattern === 'fan-out' && steps !== undefined && maxRounds !== undefined && maxRounds > steps - 1) {
    const left = Math.max(1, steps - 1)
    shadow(
      'maxRounds',
      `It is never reached: a round is a step and the answer needs one, so maxSteps ${steps} allows ${left}.`,
    )
  }
  if (
    pattern === 'debate' &&
    steps !== undefined &&
    rounds !== undefined &&
    rounds > Math.max(0, steps - 2)
  ) {
    const left = Math.max(0, steps - 2)
    shadow(
      'rounds',
      `It is never reached: proposals, each round and the answer are steps, so maxSteps ${steps} allows ${left}.`,
    )
  }
  if (maxCritiques !== undefined && maxCritiques > maxSteps) {
    shadow('maxCritiques', `It is never reached: a step has one critique, and maxSteps is ${maxSteps}.`)
  }
  const { maxRepeatedCalls } = options
  if (maxRepeatedCalls !== undefined && maxRepeatedCalls > maxSteps) {
    found.push(
      finding(
        'repeats-within-one-step',
        `${path}.maxRepeatedCalls`,
        `The cap is ${plural(maxSteps, 'step')}: ${maxRepeatedCalls} equal calls in a row occur only where one reply makes several of them.`,
      ),
    )
  }
  return found
}

function ownTimeouts({ path, profile, definition }: Place): Finding[] {
  const { completion, caps, delegation } = profile
  const scorers = (completion?.scorers ?? []).filter(
    ({ timeout }) => timeout !== undefined && completion !== undefined && timeout >= completion.timeout,
  )
  return [
    ...scorers.map(({ id, timeout }) =>
      finding(
        'cap-shadowed',
        `${path}.completion.scorers.${id}.timeout`,
        `It never ends the scorer: ${timeout} ms are not less than the ${completion?.timeout} ms that all scorers share.`,
      ),
    ),
    ...(definition.pattern === 'fan-out' && delegation.timeout !== undefined
      ? longer(`${path}.delegation.timeout`, delegation.timeout, 'goalTimeout', caps.goalTimeout)
      : []),
  ]
}

/** The timeouts of the parts of a subagent, under the timeout of the delegation to it. */
function delegatedTimeouts({ path, profile, subagents }: Place): Finding[] {
  return [...subagents].flatMap(
    ([
      key,
      {
        members: [child],
      },
    ]) => {
      const limit = profile.background[key]?.timeout ?? profile.delegation.timeout
      if (limit === undefined) return []
      const by = `the timeout of a delegation to it from ${path}`
      const { modelTimeout } = child.profile
      return [
        ...(modelTimeout === undefined ? [] : longer(`${child.path}.modelTimeout`, modelTimeout, by, limit)),
        ...toolsOf(child).flatMap(([name, { timeout }]) =>
          timeout === undefined ? [] : longer(`${child.path}.tools.${name}.timeout`, timeout, by, limit),
        ),
      ]
    },
  )
}

function wallClock({ path, profile, settings }: Place): Finding[] {
  const limit = settings.budget?.wallClock
  if (limit === undefined) return []
  const { delegation, modelTimeout } = profile
  return [
    ...(delegation.timeout === undefined
      ? []
      : longer(`${path}.delegation.timeout`, delegation.timeout, 'budget.wallClock', limit)),
    ...(modelTimeout === undefined
      ? []
      : longer(`${path}.modelTimeout`, modelTimeout, 'budget.wallClock', limit)),
  ]
}

function longer(path: string, given: number, by: string, limit: number): Finding[] {
  if (given < limit) return []
  return [
    finding(
      'cap-shadowed',
      path,
      `It never comes to its end: ${given} ms are not less than the ${limit} ms of ${by}.`,
    ),
  ]
}

function inheritedDepth({ path, depth, profile, definition: { settings } }: Place): Finding[] {
  if (depth === 0 || settings.maxDepth === undefined || settings.maxDepth <= profile.maxDepth) return []
  return [
    finding(
      'cap-inherited',
      `${path}.maxDepth`,
      `Here ${profile.maxDepth} holds, from above, and not ${settings.maxDepth}: an agent below the root can only lower it.`,
    ),
  ]
}

function inheritedHandoffs({ path, profile }: Place, maxHandoffs: number): Finding[] {
  const own = profile.handoffs?.max
  if (own === undefined || own <= maxHandoffs) return []
  return [
    finding(
      'cap-inherited',
      `${path}.maxHandoffs`,
      `Here ${maxHandoffs} holds, from the first agent of the conversation, and not ${own}.`,
    ),
  ]
}

function budgetBelow({ path, definition: { settings } }: Place): Finding[] {
  if (settings.budget === undefined) return []
  return [
    finding(
      'budget-not-in-force',
      `${path}.budget`,
      'In this tree the budget of the root holds; that of another agent limits the runs that begin with it.',
    ),
  ]
}
