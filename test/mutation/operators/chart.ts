/** Faults of charts: guards, targets, transitions and actions. */
import type { Edit } from '../mutant.ts'
import { keyOf, propertyAbove, removal, textOf, type Node, type Place } from './tree.ts'

const transitionLists = new Set(['always', 'onDone', 'onError'])
const actionLists = new Set(['actions', 'entry', 'exit'])

export function chartEdits(source: string, places: readonly Place[]): Edit[] {
  const states = new Set(places.flatMap(({ node }) => keyOf(node) ?? []))
  const targets = targetsOf(places, states)
  return places.flatMap((place) => [
    ...guardEdits(source, place),
    ...targetEdits(place, states, targets),
    ...transitionEdits(source, place),
    ...actionEdits(source, place),
  ])
}

function guardEdits(source: string, place: Place): Edit[] {
  const { node } = place
  if (keyOf(node) === 'guard' && node.type === 'Property') {
    return [{ operator: 'drop guard', ...removal(source, node) }]
  }
  if (!isDefinition(place, 'guards') || node.type !== 'Property') return []
  const body = bodyOf(node.value)
  if (body === undefined) return []
  const { start, end } = body
  return [{ operator: 'negate guard', start, end, replacement: `!(${source.slice(start, end)})` }]
}

/** A target becomes another one of its file: the next in the order of their names. */
function targetEdits(place: Place, states: ReadonlySet<string>, targets: readonly string[]): Edit[] {
  const { node } = place
  const text = textOf(node)
  if (text === undefined || !isTarget(place, states)) return []
  const other = targets[(targets.indexOf(text) + 1) % targets.length]
  if (other === undefined || other === text) return []
  return [{ operator: 'redirect target', start: node.start, end: node.end, replacement: `'${other}'` }]
}

function transitionEdits(source: string, { node, parents }: Place): Edit[] {
  const list = parents.at(-1)
  const owner = keyOf(list?.type === 'ArrayExpression' ? parents.at(-2) : list)
  const inList =
    list?.type === 'ArrayExpression' &&
    (transitionLists.has(owner ?? '') || keyOf(parents.at(-4)) === 'on' || owner === 'on')
  const inOn = node.type === 'Property' && keyOf(parents.at(-2)) === 'on'
  return inList || inOn ? [{ operator: 'remove transition', ...removal(source, node) }] : []
}

function actionEdits(source: string, place: Place): Edit[] {
  const { node, parents } = place
  const parent = parents.at(-1)
  if (parent?.type === 'ArrayExpression' && actionLists.has(keyOf(parents.at(-2)) ?? '')) {
    return [{ operator: 'drop action', ...removal(source, node) }]
  }
  if (node.type !== 'Property') return []
  if (actionLists.has(keyOf(node) ?? '') && isOneAction(node.value)) {
    return [{ operator: 'drop action', ...removal(source, node) }]
  }
  if (!isDefinition(place, 'actions')) return []
  const { start, end } = node.value
  return [{ operator: 'empty action', start, end, replacement: '() => undefined' }]
}

/** Not a list of actions, nor a record of definitions. */
function isOneAction(value: Node): boolean {
  if (value.type === 'ArrayExpression') return false
  return value.type !== 'ObjectExpression' || value.properties.some((part) => keyOf(part) === 'type')
}

/** Whether the place is a property of `guards: { … }`, `actions: { … }` or of a constant whose name ends so. */
function isDefinition({ node, parents }: Place, kind: 'guards' | 'actions'): boolean {
  if (node.type !== 'Property' || parents.at(-1)?.type !== 'ObjectExpression') return false
  const holder = parents.at(-2)
  if (keyOf(holder) === kind) return holder?.type === 'Property' && isFunctionOrCall(node.value)
  return (
    holder?.type === 'VariableDeclarator' &&
    holder.id.type === 'Identifier' &&
    holder.id.name.toLowerCase().endsWith(kind)
  )
}

function isFunctionOrCall({ type }: Node): boolean {
  return type === 'ArrowFunctionExpression' || type === 'CallExpression'
}

function bodyOf(node: Node): Node | undefined {
  return node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement'
    ? node.body
    : undefined
}

function targetsOf(places: readonly Place[], states: ReadonlySet<string>): readonly string[] {
  const found = places.flatMap((place) => (isTarget(place, states) ? (textOf(place.node) ?? []) : []))
  return [...new Set(found)].toSorted()
}

/** The value of `target`, of an event in `on`, or of a record of targets that a shared state takes. */
function isTarget(place: Place, states: ReadonlySet<string>): boolean {
  const { node, parents } = place
  const text = textOf(node)
  const property = propertyAbove(place)
  if (text === undefined || property?.type !== 'Property' || property.value !== node) return false
  if (keyOf(property) === 'target' || keyOf(parents.at(-3)) === 'on') return true
  return parents.at(-3)?.type === 'CallExpression' && states.has(text)
}
