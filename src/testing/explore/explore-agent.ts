/** The exploration of an agent. */
import { ConfigurationError } from '../../errors.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import type { InterpreterName } from '../../runtime/interpreter/interpreter.ts'
import { explorationOf } from './exploration.ts'
import { exploreStates } from './exploring.ts'
import { readExplore, type ExploreOptions } from './options.ts'
import { sequenceDiagram } from './report/diagram.ts'
import type { ExploreReport } from './report/report.ts'
import { builtInRules } from './rules/built-in.ts'
import { Monitor } from './rules/monitor.ts'

const defaultStates = 20_000

export async function exploreAgent(
  agent: AgentDefinition,
  options: ExploreOptions,
  interpreter?: InterpreterName,
): Promise<ExploreReport<string>> {
  const where = `explore("${agent.id}")`
  const read = readExplore(options, where)
  const { subject, space, budget, functions, alphabet } = explorationOf(agent, read, where, interpreter)
  const monitor = new Monitor(read.rules ?? {})
  const report = await exploreStates(
    {
      subject,
      space,
      rules: builtInRules({ modelCalls: budget?.modelCalls }),
      monitor,
      states: read.limits?.states ?? defaultStates,
      crashes: read.adversary?.crash !== false,
      ends: true,
      rechecked: read.recheck === false ? undefined : functions,
    },
    ({ state }, _path, end) => sequenceDiagram(state.recorder.log.toArray(), end),
    () => ({ unsaid: alphabet.unsaid, functionCalls: functions.size }),
  )
  assertApart(monitor, read, where)
  return report
}

/** A rule cannot tell interchangeable agents apart. */
function assertApart(monitor: Monitor, { interchangeable = [] }: ExploreOptions, where: string): void {
  const named = monitor.agents.find((agent) => interchangeable.some((group) => group.includes(agent)))
  if (named === undefined) return
  throw new ConfigurationError(
    `${where}: a rule names the agent "${named}", which is interchangeable with others.`,
  )
}
