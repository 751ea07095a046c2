/**
 * The test whether a descriptor with a wildcard describes events of a type: `*` any, `order.*` both `order` and `order.paid`. A
 * wildcard stands at the end.
 */
export function describing(descriptor: string): (type: string) => boolean {
  if (descriptor === '*') return () => true
  if (!descriptor.endsWith('.*') || descriptor.indexOf('*') < descriptor.length - 1) return () => false
  const start = descriptor.slice(0, -2) // without ".*"
  return (type) => type.startsWith(start) && (type.length === start.length || type[start.length] === '.')
}
