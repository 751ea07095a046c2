/** Finds the regular expressions of a source file. */
import { parseSync, visitorKeys, type Node } from 'oxc-parser'

export interface FoundRegex {
  readonly line: number
  /** As it stands in the file. */
  readonly text: string
  /** `undefined`: it is made of a text while the program runs. */
  readonly regex?: { readonly pattern: string; readonly flags: string }
}

export function findRegexes(file: string, source: string): readonly FoundRegex[] {
  const { program, errors } = parseSync(file, source)
  const [error] = errors
  if (error !== undefined) throw new Error(`${file} cannot be parsed: ${error.message}`)
  const found: FoundRegex[] = []
  visit(program)
  return found

  function visit(node: Node): void {
    const regex = node.type === 'Literal' && 'regex' in node ? node.regex : undefined
    if (regex !== undefined || isMade(node)) {
      const line = source.slice(0, node.start).split('\n').length
      const text = source.slice(node.start, node.end)
      found.push({ line, text, ...(regex === undefined ? {} : { regex }) })
    }
    for (const key of visitorKeys[node.type] ?? []) {
      const child: unknown = Reflect.get(node, key)
      for (const part of Array.isArray(child) ? (child as unknown[]) : [child]) if (isNode(part)) visit(part)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** `new RegExp(…)`, also without `new`. */
function isMade(node: Node): boolean {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false
  return node.callee.type === 'Identifier' && node.callee.name === 'RegExp'
}
