/** Options, task types and patterns that have no effect, for want of another part that they are about. */
import { finding, type Finding } from './finding.ts'
import { hasCalls, isDynamic, toolsOf, type AgentTree, type Place } from './tree.ts'
import { anyPattern, initialTaskTypes, type CheckedTaskType } from '../../actors/task-types.ts'

interface Condition {
  /** As in the path of a finding. */
  readonly option: string
  readonly isGiven: (place: Place) => boolean
  readonly hasEffect: (place: Place) => boolean
  readonly because: string
}

const hasSubagents = (place: Place): boolean =>
  Object.keys(place.definition.agents).length > 0 || isDynamic(place, 'agents')

const hasTools = (place: Place): boolean =>
  toolsOf(place).length > 0 || isDynamic(place, 'tools', 'workflows')

/** The names of the tools of `readSkills`. */
const readsSkills = ['load-skill', 'read-skill-file'] as const

const conditions: readonly Condition[] = [
  {
    option: 'bailStrategy',
    isGiven: ({ settings }) => settings.bailStrategy !== undefined,
    hasEffect: ({ profile }) => profile.hooks.onDelegationComplete !== undefined,
    because: 'nothing can bail without delegation.onDelegationComplete',
  },
  {
    option: 'scoreEvery',
    isGiven: ({ settings }) => settings.scoreEvery !== undefined,
    hasEffect: ({ profile }) => profile.completion !== undefined,
    because: 'there are no scorers (completion)',
  },
  {
    option: 'hookErrors',
    isGiven: ({ settings }) => settings.hookErrors !== undefined,
    hasEffect: (place) => callsFunctions(place) || isDynamic(place, 'tools', 'workflows'),
    because: 'there is no hook that could throw',
  },
  {
    option: 'maxProcessorRetries',
    isGiven: ({ settings }) => settings.maxProcessorRetries !== undefined,
    hasEffect: ({ profile: { processors } }) => processors.output.length + processors.stream.length > 0,
    because: 'there are no output processors',
  },
  ...(['toolChoice', 'toolCallConcurrency', 'maxToolCallsPerStep', 'maxRepeatedCalls'] as const).map(
    (option) => ({
      option,
      isGiven: ({ settings }: Place) => settings[option] !== undefined,
      hasEffect: hasCalls,
      because: 'there is nothing to call: no tools, no agents',
    }),
  ),
  {
    option: 'tools.load-skill',
    isGiven: (place) => readsSkills.every((name) => toolsOf(place).some(([given]) => given === name)),
    hasEffect: (place) =>
      place.definition.instructions.includes('<available_skills>') || isDynamic(place, 'instructions'),
    because:
      'the instructions do not have those of readSkills, so that the model knows no description of a skill',
  },
  {
    option: 'toolState',
    isGiven: ({ settings }) => settings.toolState !== undefined,
    hasEffect: (place) =>
      isDynamic(place, 'tools', 'workflows') ||
      toolsOf(place).some(([, tool]) => !tool.applicableStates.includes('*')),
    because: 'every tool applies in every state',
  },
  {
    option: 'maxDepth',
    isGiven: ({ settings }) => settings.maxDepth !== undefined,
    hasEffect: hasSubagents,
    because: 'there are no subagents',
  },
  {
    option: 'delegation',
    isGiven: ({ options }) => options.delegation !== undefined,
    hasEffect: (place) => hasSubagents(place) || place.definition.handoffs !== undefined,
    because: 'there are no subagents',
  },
  ...(['maxMessages', 'filterInternalMessages'] as const).map((option) => ({
    option: `delegation.${option}`,
    isGiven: ({ settings }: Place) => settings.delegation?.[option] !== undefined,
    hasEffect: ({ profile, definition }: Place) =>
      profile.delegation.includeConversationHistory || definition.handoffs !== undefined,
    because: 'includeConversationHistory is false, so that no messages are shared',
  })),
  {
    option: 'delegation.maxMessages',
    isGiven: ({ profile, settings }) =>
      settings.delegation?.maxMessages !== undefined && profile.delegation.includeConversationHistory,
    hasEffect: ({ profile: { handoffs, hooks } }) =>
      hooks.messageFilter === undefined || (handoffs !== undefined && hooks.handoffFilter === undefined),
    because: 'a filter chooses the messages',
  },
  {
    option: 'keepPartial',
    isGiven: ({ profile }) => profile.keepPartial !== undefined,
    hasEffect: ({ profile }) => profile.hooks.processOutput === undefined,
    because: 'output processors have not passed a text that was cut, so it is kept nowhere',
  },
  {
    option: 'keepPartial',
    isGiven: ({ profile }) => profile.keepPartial !== undefined,
    hasEffect: ({ profile }) => profile.responseFormat === undefined,
    because: 'a structured answer that was cut fits no schema (structuredOutput), so it is kept nowhere',
  },
  {
    option: 'keepPartial',
    isGiven: ({ profile }) => profile.keepPartial === 'thread',
    hasEffect: (place) => place.profile.memory !== undefined || isDynamic(place, 'memory'),
    because: 'there is no thread without memory',
  },
  {
    option: 'reviewSteps',
    isGiven: ({ settings }) => settings.reviewSteps === true,
    hasEffect: (place) => hasTools(place) || hasSubagents(place),
    because: 'a plan has no steps without tools and agents',
  },
]

/** Whether the agent calls a function of the user's whose error `hookErrors` is about. */
function callsFunctions(place: Place): boolean {
  const { validateObject: _shape, ...hooks } = place.profile.hooks
  return (
    Object.keys(hooks).length > 0 ||
    toolsOf(place).some(([, { requireApproval }]) => typeof requireApproval === 'function')
  )
}

export function unusedOptions({ byAgent }: AgentTree): Finding[] {
  return byAgent.flatMap(([place]) =>
    conditions
      .filter(({ isGiven, hasEffect }) => isGiven(place) && !hasEffect(place))
      .map(({ option, because }) =>
        finding('option-without-effect', `${place.path}.${option}`, `It has no effect: ${because}.`),
      ),
  )
}

/** Supervisors that have nothing of what only a supervisor has. */
export function withoutAgents({ byAgent }: AgentTree): Finding[] {
  return byAgent.flatMap(([place]) => {
    const { definition, profile, path } = place
    const supervises =
      definition.pattern !== 'supervisor' ||
      hasSubagents(place) ||
      profile.completion !== undefined ||
      profile.hooks.onIterationComplete !== undefined ||
      isDynamic(place, 'tools', 'workflows') ||
      toolsOf(place).some(([, { background }]) => background !== undefined)
    if (supervises) return []
    const message =
      'It has no agents to delegate to, and no completion: name them in "agents", or define it by createAgent.'
    return [finding('supervisor-without-agents', path, message)]
  })
}

/** Task types and patterns of a meta-router that no run chooses. */
export function taskTypes({ byAgent }: AgentTree): Finding[] {
  return byAgent.flatMap(([place]) => [...withoutPattern(place), ...neverValid(place)])
}

/** The built-in types name patterns that an application need not have. */
function isBuiltIn(type: CheckedTaskType): boolean {
  const builtIn = initialTaskTypes.find(({ name }) => name === type.name)
  return JSON.stringify(builtIn) === JSON.stringify(type)
}

function withoutPattern({ path, profile: { route }, definition: { agents } }: Place): Finding[] {
  return (route?.taskTypes ?? [])
    .filter((type) => !isBuiltIn(type) && !type.valid_patterns.includes(anyPattern))
    .filter(({ valid_patterns: names }) => !names.some((name) => Object.hasOwn(agents, name)))
    .map(({ name, valid_patterns: names }) =>
      finding(
        'task-type-without-pattern',
        `${path}.taskTypes.${name}`,
        `It is never chosen: no agent stands for one of its patterns (${names.join(', ')}). The agents are: ${Object.keys(agents).join(', ')}.`,
      ),
    )
}

/** Without any type here, all of them come from the configuration of the troupe. */
function neverValid({ path, profile: { route }, definition: { agents } }: Place): Finding[] {
  const types = route?.taskTypes ?? []
  if (route?.pattern !== undefined || types.length === 0) return []
  return Object.keys(agents)
    .filter(
      (key) => !types.some(({ valid_patterns: names }) => names.includes(key) || names.includes(anyPattern)),
    )
    .map((key) =>
      finding(
        'pattern-never-valid',
        `${path}.agents.${key}`,
        'No task type has this pattern among its valid_patterns: it runs only where a run names it, or the configuration of the troupe adds such a type.',
      ),
    )
}
