/** The inputs of charts. An app may start a chart by hand, under plain XState: types do not see what it gives. */
import { is } from '../../actors/strict/checks.ts'
import { unknownKeyText } from '../../actors/strict/known-keys.ts'
import { isObject, show, type Field, type Fields, type Reader } from '../../actors/strict/read-options.ts'
import { Toolset } from '../../actors/toolset/toolset.ts'
import { AppendLog } from '../../actors/values/append-log.ts'
import { isRecord } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'

const ourLog = /* @__PURE__ */ is('a log of messages', (given) => given instanceof AppendLog)

export const aLog: Reader = (given, where) => {
  if (given instanceof AppendLog || !isLogOfCopy(given)) return ourLog(given, where)
  throw new ConfigurationError(
    `${where} is a log of another copy of troupe: agents and what runs them must come from the same copy. "npm ls troupe" lists the copies that are installed; a bundler, or require beside import, makes another.`,
  )
}
export const aToolset = /* @__PURE__ */ is('a toolset', (given) => given instanceof Toolset)
export const aRecord = /* @__PURE__ */ is('an object', isRecord)
/** Times and caps may be of any size. */
export const aNumber = /* @__PURE__ */ is(
  'a number',
  (given) => typeof given === 'number' && !Number.isNaN(given),
)
export const aList = /* @__PURE__ */ is('a list', Array.isArray)

/** Whether it is a log by its members. */
function isLogOfCopy(given: unknown): boolean {
  return isObject(given) && 'append' in given && 'digest' in given
}

/** What a chart takes. */
interface ChartInputs<Input> {
  /** As an error names it: `the chart "tool-call"`. */
  readonly chart: string
  readonly fields: Fields<Input>
  /** The agent that it works for, where the input says so. */
  readonly agentOf: (given: Readonly<Record<string, unknown>>) => unknown
  /** What to do in place of it. */
  readonly advice: string
}

/**
 * The check of an input: it throws a `ConfigurationError` that names the agent, the field and what to do. Every start of a chart
 * makes it, so a right input costs no more than a look at each field.
 */
export function inputCheck<Input>(inputs: ChartInputs<Input>): (given: Input) => void {
  const rows = Object.entries<Field>(inputs.fields)
  const names = Object.keys(inputs.fields)
  const known: ReadonlySet<string> = new Set(names)
  return (given: unknown) => {
    if (!isObject(given)) throw wrongInput(given, inputs, `must be an object, not ${show(given)}.`)
    for (const name in given)
      if (!known.has(name)) throw wrongInput(given, inputs, unknownKeyText(name, names, 'field'))
    try {
      for (const [name, { read, isRequired }] of rows) {
        const value: unknown = Reflect.get(given, name)
        if (value !== undefined || isRequired === true) read(value, name)
      }
    } catch (error) {
      throw error instanceof ConfigurationError ? wrongInput(given, inputs, error.message) : error
    }
  }
}

function wrongInput<Input>(
  given: unknown,
  { chart, agentOf, advice }: ChartInputs<Input>,
  problem: string,
): ConfigurationError {
  const agent = isRecord(given) ? agentOf(given) : undefined
  const of = typeof agent === 'string' ? ` of the agent ${show(agent)}` : ''
  const join = problem.startsWith('must') ? ' ' : ': '
  return new ConfigurationError(`The input of ${chart}${of}${join}${problem} ${advice}`)
}

/** That of a chart that charts of agents start. */
export function startedByAgents<Input>(
  id: string,
  fields: Fields<Input>,
  agentOf: ChartInputs<Input>['agentOf'] = ({ agent }) => agent,
): (given: Input) => void {
  return inputCheck({
    chart: `the chart "${id}"`,
    fields,
    agentOf,
    advice:
      'The charts of agents start it and make its input: start that of an agent, with inputOf(agent, prompt) of troupe/machines.',
  })
}
