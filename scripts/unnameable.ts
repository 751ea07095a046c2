/**
 * The types of this package that an exported type is made of, and that no export names: the compiler cannot write them into the
 * declarations of a user's own package (TS4058, TS2742).
 */
import ts from 'typescript-5.9'

/** `isOwn`: whether a file is of this package. The names are given with the export by which they are reached. */
export function unnameableTypes(
  exported: ReadonlySet<ts.Symbol>,
  checker: ts.TypeChecker,
  isOwn: (file: string) => boolean,
): readonly string[] {
  const seen = new Set<ts.Symbol>()
  const found: string[] = []
  const queue = [...exported].map((symbol) => ({ symbol, via: symbol.name }))
  for (const { symbol, via } of queue) {
    if (seen.has(symbol)) continue
    seen.add(symbol)
    const own = (symbol.declarations ?? []).filter((declared) => isOwn(declared.getSourceFile().fileName))
    if (own.some(hasName) && !exported.has(symbol)) found.push(`${symbol.name} (of ${via})`)
    for (const declared of own) {
      for (const name of typesIn(declared)) {
        const next = checker.getSymbolAtLocation(name)
        if (next === undefined) continue
        const target = next.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(next) : next
        queue.push({ symbol: target, via })
      }
    }
  }
  return found
}

function hasName(node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeAliasDeclaration(node)
}

/** The names of types in a declaration, without its bodies, its values and what is private. */
function typesIn(node: ts.Node): readonly ts.Node[] {
  if (ts.isBlock(node)) return []
  if (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) return []
  const own = ts.isTypeReferenceNode(node)
    ? [node.typeName]
    : ts.isExpressionWithTypeArguments(node)
      ? [node.expression]
      : []
  const value =
    ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)
      ? node.initializer
      : undefined
  const below: ts.Node[] = []
  ts.forEachChild(node, (child) => {
    if (child !== value) below.push(...typesIn(child))
  })
  return [...own, ...below]
}
