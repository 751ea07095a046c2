/** Faults of code: branches, operators, constants, fields and outcomes. */
import type { Edit } from '../mutant.ts'
import { keyOf, removal, textOf, type Place } from './tree.ts'

const logical: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' }

const binary: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
}

/** The outcomes of agents, delegations, tool calls, scorings and decisions. */
const outcomes = [
  'completed',
  'exhausted',
  'stopped',
  'tripped',
  'failed',
  'bailed',
  'cancelled',
  'succeeded',
  'timedOut',
  'rejected',
  'denied',
  'passed',
  'errored',
]

export function codeEdits(source: string, places: readonly Place[]): Edit[] {
  return places.flatMap((place) => [
    ...branchEdits(source, place),
    ...operatorEdits(source, place),
    ...valueEdits(place),
    ...fieldEdits(source, place),
  ])
}

function branchEdits(source: string, { node }: Place): Edit[] {
  if (node.type === 'IfStatement') {
    const { start, end } = node.test
    return ['true', 'false'].map((replacement) => ({ operator: 'branch', start, end, replacement }))
  }
  if (node.type === 'ConditionalExpression') {
    const { start, end } = node.test
    return [{ operator: 'branch', start, end, replacement: `!(${source.slice(start, end)})` }]
  }
  if (node.type === 'ExpressionStatement' && node.expression.type === 'CallExpression') {
    return [{ operator: 'drop call', start: node.start, end: node.end, replacement: ';' }]
  }
  return []
}

function operatorEdits(source: string, { node }: Place): Edit[] {
  if (node.type !== 'LogicalExpression' && node.type !== 'BinaryExpression') return []
  const isLogical = node.type === 'LogicalExpression'
  const other = (isLogical ? logical : binary)[node.operator]
  if (other === undefined) return []
  const left = source.slice(node.left.start, node.left.end)
  const right = source.slice(node.right.start, node.right.end)
  // Text is joined by `+` too; a difference of texts is no plausible fault.
  if (node.operator === '+' && [node.left, node.right].some((side) => textOf(side) !== undefined)) return []
  return [
    {
      operator: isLogical ? 'swap logical' : 'swap operator',
      start: node.start,
      end: node.end,
      replacement: isLogical ? `(${left}) ${other} (${right})` : `${left} ${other} ${right}`,
    },
  ]
}

function valueEdits({ node, parents }: Place): Edit[] {
  if (node.type !== 'Literal') return []
  const { start, end, value } = node
  const parent = parents.at(-1)
  if (parent?.type === 'Property' && parent.key === node) return []
  if (typeof value === 'boolean') return [{ operator: 'constant', start, end, replacement: String(!value) }]
  if (typeof value === 'number') return [{ operator: 'constant', start, end, replacement: String(value + 1) }]
  const position = typeof value === 'string' ? outcomes.indexOf(value) : -1
  // A state may have the name of an outcome.
  if (position === -1 || keyOf(parent) === 'target') return []
  const other = outcomes[(position + 1) % outcomes.length] ?? ''
  return [{ operator: 'swap outcome', start, end, replacement: `'${other}'` }]
}

/** A field of an object that a function returns, as a change of a context. */
function fieldEdits(source: string, { node, parents }: Place): Edit[] {
  if (node.type !== 'Property' && node.type !== 'SpreadElement') return []
  const object = parents.at(-1)
  const holder = parents.at(-2)
  if (object?.type !== 'ObjectExpression') return []
  const isReturned =
    holder?.type === 'ReturnStatement' ||
    (holder?.type === 'ArrowFunctionExpression' && holder.body === object) ||
    (holder?.type === 'ParenthesizedExpression' && parents.at(-3)?.type === 'ArrowFunctionExpression')
  return isReturned ? [{ operator: 'drop field', ...removal(source, node) }] : []
}
