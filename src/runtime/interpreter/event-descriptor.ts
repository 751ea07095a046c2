/**
 * Whether a descriptor with a wildcard describes events of a type: `*` any, `order.*` both `order` and `order.paid`. A
 * wildcard stands at the end.
 */
export function describes(descriptor: string, type: string): boolean {
  if (descriptor === '*') return true
  if (!descriptor.endsWith('.*') || descriptor.indexOf('*') < descriptor.length - 1) return false
  const length = descriptor.length - 2 // without ".*"
  if (!type.startsWith(descriptor.slice(0, length))) return false
  return type.length === length || type[length] === '.'
}
