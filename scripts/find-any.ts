/**
 * Finds `any` in the public types of a package: whatever a user can reach from its exports, as the compiler resolves
 * it, so that an inferred `any` and one behind an alias count too. A named type of a dependency is not looked into,
 * what it is applied to is. TypeScript 7 has no such compiler API, hence that of 5.9.
 */
import ts from 'typescript-5.9'

export interface Found {
  /** How a user comes to it, for example `Run.actor<0>`. */
  readonly path: string
  /** The dependency's alias that it is behind: XState calls `ActorRef<any, any, any>` `AnyActorRef`. */
  readonly alias?: string
}

/** `entries`: declaration files by what they are imported as. `root`: the folder of the package that they belong to. */
export function findAny(
  entries: Readonly<Record<string, string>>,
  root: string,
  options: ts.CompilerOptions,
): readonly Found[] {
  const program = ts.createProgram(Object.values(entries), options)
  const checker = program.getTypeChecker()
  const found: Found[] = []
  const seen = new Set<ts.Type>()

  for (const [name, file] of Object.entries(entries)) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined || !isOwn(module)) throw new Error(`${name}: ${file} is no module of ${root}.`)
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const path = `${name}: ${exported.name}`
      if (symbol.flags & ts.SymbolFlags.Value) visit(checker.getTypeOfSymbol(symbol), path)
      if (symbol.flags & ts.SymbolFlags.Type) visit(checker.getDeclaredTypeOfSymbol(symbol), path)
      if (symbol.flags === ts.SymbolFlags.None) found.push({ path })
    }
  }
  return found

  function visit(type: ts.Type, path: string): void {
    if (isAny(type)) found.push({ path })
    if (seen.has(type)) return
    const alias = type.aliasSymbol
    if (alias !== undefined && type.aliasTypeArguments === undefined && !isOwn(alias)) {
      if (partsOf(type).flatMap(argumentsOf).some(isAny)) found.push({ path, alias: alias.name })
      return
    }
    seen.add(type)
    for (const [index, argument] of (type.aliasTypeArguments ?? []).entries()) {
      visit(argument, `${path}<${index}>`)
    }
    if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, path)
    else if (type.flags & ts.TypeFlags.TypeParameter) visitParameter(type, path)
    else if (type.flags & ts.TypeFlags.Conditional) visitConditional(type as ts.ConditionalType, path)
    else if (type.flags & ts.TypeFlags.IndexedAccess) {
      const { objectType, indexType } = type as ts.IndexedAccessType
      visit(objectType, path)
      visit(indexType, path)
    } else if (isObject(type)) visitObject(type, path)
  }

  function visitParameter(type: ts.Type, path: string): void {
    const [constraint, fallback] = [type.getConstraint(), type.getDefault()]
    if (constraint !== undefined) visit(constraint, `${path} extends`)
    if (fallback !== undefined) visit(fallback, `${path} =`)
  }

  function visitConditional({ checkType, root: { node } }: ts.ConditionalType, path: string): void {
    visit(checkType, path)
    if (!isWithin(node)) return
    for (const branch of [node.trueType, node.falseType]) {
      visit(checker.getTypeFromTypeNode(branch), `${path}?`)
    }
  }

  function visitObject(type: ts.ObjectType, path: string): void {
    for (const [index, argument] of argumentsOf(type).entries()) {
      if (!isDefaultOfLibrary(type as ts.TypeReference, index, argument)) visit(argument, `${path}<${index}>`)
    }
    const target = isReference(type) ? type.target : type
    if (target !== type) {
      // A tuple has no symbol, and is no more than its arguments.
      const symbol: ts.Symbol | undefined = target.symbol
      if (symbol !== undefined && isOwn(symbol)) visit(target, path)
      return
    }
    if (type.isClassOrInterface() && !isOwn(type.symbol)) return
    for (const property of checker.getPropertiesOfType(type)) {
      // TypeScript gives the prototype of a class `any` for the parameters of the class.
      if (property.flags & ts.SymbolFlags.Prototype) continue
      if (isOwn(property) && !isPrivate(property)) {
        visit(checker.getTypeOfSymbol(property), `${path}.${property.name}`)
      }
    }
    for (const info of checker.getIndexInfosOfType(type)) visit(info.type, `${path}[]`)
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.getTypeParameters() ?? [])
        visit(parameter, `${path}<${parameter.symbol.name}>`)
      for (const parameter of signature.getParameters()) {
        visit(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`)
      }
      visit(signature.getReturnType(), `${path}()`)
    }
  }

  function argumentsOf(type: ts.Type): readonly ts.Type[] {
    return isReference(type) ? checker.getTypeArguments(type) : []
  }

  /** TypeScript's own library has some: `AsyncIterable<T>` is `AsyncIterable<T, any, any>`. */
  function isDefaultOfLibrary({ target }: ts.TypeReference, index: number, argument: ts.Type): boolean {
    const file = target.symbol?.declarations?.[0]?.getSourceFile()
    return (
      isAny(argument) &&
      target.typeParameters?.[index]?.getDefault() === argument &&
      file !== undefined &&
      program.isSourceFileDefaultLibrary(file)
    )
  }

  /** What no file declares, as the fields of a mapped type, belongs to whoever asks for it. */
  function isOwn({ declarations = [] }: ts.Symbol): boolean {
    return declarations.length === 0 || declarations.some(isWithin)
  }

  function isWithin(node: ts.Node): boolean {
    return node.getSourceFile().fileName.startsWith(`${root}/`)
  }
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnionOrIntersection() ? type.types : [type]
}

function isAny(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Any) !== 0
}

function isObject(type: ts.Type): type is ts.ObjectType {
  return (type.flags & ts.TypeFlags.Object) !== 0
}

function isReference(type: ts.Type): type is ts.TypeReference {
  return isObject(type) && (type.objectFlags & ts.ObjectFlags.Reference) !== 0
}

function isPrivate({ declarations }: ts.Symbol): boolean {
  const declaration = declarations?.[0]
  if (declaration === undefined) return false
  const name = ts.getNameOfDeclaration(declaration)
  return (
    (name !== undefined && ts.isPrivateIdentifier(name)) ||
    (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0
  )
}
