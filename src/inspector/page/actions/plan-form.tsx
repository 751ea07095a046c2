/** The steps of a plan, to be changed one by one: their goals, tools, arguments, order and number. */
import type { JsonValue } from '../../../index.ts'
import { isRecord, visibleText } from '../../../kit/index.ts'
import type { VNode } from 'preact'
import { Button } from '../shared/button.tsx'
import { JsonField, jsonText, readJson, type ReadJson } from './json-field.tsx'

/** A step as it is being written. */
export interface EditedStep {
  readonly id: string
  readonly goal: string
  readonly tool: string
  /** JSON; `null`: none. */
  readonly args: string
  /** Ids, with commas between them. */
  readonly dependsOn: string
  /** Fields that the form does not show. */
  readonly rest: Readonly<Record<string, JsonValue>>
}

/** The steps in the arguments of a question about a plan. */
export function stepsIn(args: JsonValue): readonly EditedStep[] {
  const steps = isRecord(args) && Array.isArray(args['steps']) ? args['steps'] : []
  return steps.filter(isRecord).map(({ id, goal, toolHint, args: given, dependsOn, ...rest }) => ({
    id: textIn(id),
    goal: textIn(goal),
    tool: textIn(toolHint),
    args: given == null ? 'null' : jsonText(given),
    dependsOn: Array.isArray(dependsOn) ? dependsOn.map(textIn).join(', ') : '',
    rest: rest as Readonly<Record<string, JsonValue>>,
  }))
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The plan of these steps, or what is wrong with it. The run checks it too. */
export function readSteps(steps: readonly EditedStep[]): ReadJson {
  if (steps.length === 0) return { fault: 'A plan has at least one step.' }
  const read: JsonValue[] = []
  for (const [index, { id, goal, tool, args, dependsOn, rest }] of steps.entries()) {
    if (id.trim() === '' || goal.trim() === '') return { fault: `Step ${index + 1} needs a name and a goal.` }
    const given = readJson(args)
    if (given.fault !== undefined) return { fault: `The arguments of step ${index + 1} are no JSON.` }
    read.push({
      ...rest,
      id: id.trim(),
      goal,
      ...(tool.trim() === '' ? {} : { toolHint: tool.trim() }),
      ...(given.value === null ? {} : { args: given.value }),
      dependsOn: dependsOn
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    })
  }
  return { value: { steps: read } }
}

interface PlanFormProps {
  /** What the question says beside the steps. */
  readonly asked: JsonValue | undefined
  readonly steps: readonly EditedStep[]
  readonly onSteps: (steps: readonly EditedStep[]) => void
}

const texts = [
  { field: 'id', label: 'Name' },
  { field: 'goal', label: 'Goal' },
  { field: 'tool', label: 'Tool or agent; empty: the model chooses' },
  { field: 'dependsOn', label: 'Needs the results of' },
] as const

export function PlanForm({ asked, steps, onSteps }: PlanFormProps): VNode {
  const finished = isRecord(asked) && Array.isArray(asked['finished']) ? asked['finished'].map(textIn) : []
  const change = (index: number, part: Partial<EditedStep>) =>
    onSteps(steps.map((step, place) => (place === index ? { ...step, ...part } : step)))
  const remove = (index: number) => onSteps(steps.filter((_, place) => place !== index))
  const add = () =>
    onSteps([...steps, { id: freeName(steps), goal: '', tool: '', args: 'null', dependsOn: '', rest: {} }])
  return (
    <div class="plan-form">
      {finished.length > 0 && (
        <p>
          Steps that are done, and that others may need: <b>{finished.map(visibleText).join(', ')}</b>.
        </p>
      )}
      {steps.map((step, index) => (
        <fieldset class="plan-step" key={index}>
          <legend>
            Step {index + 1}: {visibleText(step.id)}
          </legend>
          {texts.map(({ field, label }) => (
            <label class="field" key={field}>
              {label}
              <input
                type="text"
                autocomplete="off"
                value={step[field]}
                onInput={(event) => change(index, { [field]: event.currentTarget.value })}
              />
            </label>
          ))}
          {step.tool.trim() !== '' && !step.tool.startsWith('agent-') && (
            <JsonField
              label="Arguments; null: the model chooses them"
              rows={3}
              text={step.args}
              onText={(args) => change(index, { args })}
            />
          )}
          <Button onClick={() => remove(index)}>Remove step {index + 1}</Button>
        </fieldset>
      ))}
      <Button onClick={add}>Add a step</Button>
    </div>
  )
}

function freeName(steps: readonly EditedStep[]): string {
  const names = new Set(steps.map(({ id }) => id))
  let number = steps.length + 1
  while (names.has(`step-${number}`)) number += 1
  return `step-${number}`
}
