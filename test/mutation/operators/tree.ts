/** The syntax tree of a file, as far as the operators read it. */
import { parseSync, visitorKeys, type Node } from 'oxc-parser'

export type { Node }

export interface Place {
  readonly node: Node
  /** From the program down to the parent of the node. */
  readonly parents: readonly Node[]
}

/** Every node of the file, parents first. Types are left out: they change nothing at run time. */
export function placesOf(file: string, source: string): Place[] {
  const { program, errors } = parseSync(file, source)
  const [error] = errors
  if (error !== undefined) throw new Error(`${file} cannot be parsed: ${error.message}`)
  const places: Place[] = []
  visit(program, [])
  return places

  function visit(node: Node, parents: readonly Node[]): void {
    if (isType(node)) return
    places.push({ node, parents })
    const below = [...parents, node]
    for (const key of visitorKeys[node.type] ?? []) {
      const child: unknown = Reflect.get(node, key)
      for (const part of Array.isArray(child) ? (child as unknown[]) : [child]) {
        if (isNode(part)) visit(part, below)
      }
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

function isType({ type }: Node): boolean {
  return (
    (type.startsWith('TS') && !wrappers.has(type)) ||
    type === 'ImportDeclaration' ||
    type === 'ExportAllDeclaration'
  )
}

/** Nodes of types that hold an expression. */
const wrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

/** The name of a property of an object, or `undefined` where it is computed or spread. */
export function keyOf(node: Node | undefined): string | undefined {
  if (node?.type !== 'Property' || node.computed) return undefined
  return node.key.type === 'Identifier'
    ? node.key.name
    : node.key.type === 'Literal'
      ? String(node.key.value)
      : undefined
}

/** The text of a string, or `undefined` for any other node. */
export function textOf(node: Node | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

/** The nearest property that the place is part of. */
export function propertyAbove({ parents }: Place): Node | undefined {
  return parents.findLast(({ type }) => type === 'Property')
}

/** Removes an element of a list or an object, with the comma that follows it. */
export function removal(
  source: string,
  { start, end }: Node,
): { start: number; end: number; replacement: '' } {
  const comma = /^\s*,/.exec(source.slice(end))
  return { start, end: end + (comma?.[0].length ?? 0), replacement: '' }
}
