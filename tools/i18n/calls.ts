import { declarationOf } from '#tools/declaration-of.ts'
import ts from '#tools/typescript-api.ts'

/** A place in the code where a text is written: t('…'), tr('…', { … }), msg('…') or translate(constant). */
export type TextCall = {
  node: ts.CallExpression
  kind: 't' | 'tr' | 'msg' | 'translate'
  /** Undefined for `translate`, and where it is no literal. */
  text: string | undefined
  context: string | undefined
  /** What is put in, by name: the code of the value. Undefined if it is not written out in the call. */
  values: Map<string, ts.Node> | undefined
  /** Inside of no function: it runs once, when its module is loaded. */
  isConstant: boolean
}

const modules = /from '[^']*\/(?:i18n\/t|tr)\.ts'/
const kinds = ['t', 'tr', 'msg', 'translate'] as const

export function parseSource(path: string, code: string): ts.SourceFile {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true, kind)
}

/** True if the code imports one of them; most files without texts need no parsing. */
export function hasTexts(code: string): boolean {
  return modules.test(code)
}

/** The outermost calls inside of a node, in order; those in their values are inside of these. */
export function callsIn(node: ts.Node): TextCall[] {
  const found: TextCall[] = []
  const visit = (child: ts.Node) => {
    const call = callOf(child)
    if (call) found.push(call)
    else ts.forEachChild(child, visit)
  }
  visit(node)
  return found
}

/** Where `t` and its like are used without a call, or by another name: the build writes words in place of calls by these names alone. */
export function passedIn(file: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isText(node) && (isRenamed(node) || isPassed(node))) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function isText({ text }: ts.Identifier): boolean {
  return kinds.some(kind => kind === text)
}

/** As in `import { msg as m }`, or exported on. */
function isRenamed({ parent }: ts.Identifier): boolean {
  return ts.isExportSpecifier(parent) || (ts.isImportSpecifier(parent) && parent.propertyName !== undefined)
}

function isPassed(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isCallExpression(parent) && parent.expression === node) return false
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent)) return false
  if (ts.isJsxOpeningLikeElement(parent) || ts.isJsxClosingElement(parent)) return false
  const { name, propertyName } = parent as { name?: ts.Node; propertyName?: ts.Node }
  const isName = (name === node && !ts.isShorthandPropertyAssignment(parent)) || propertyName === node
  return !isName && declarationOf(node) === undefined
}

/** All calls, also those in values of others. */
export function allCallsIn(node: ts.Node): TextCall[] {
  return callsIn(node).flatMap(call => [call, ...call.node.arguments.flatMap(allCallsIn)])
}

function callOf(node: ts.Node): TextCall | undefined {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined
  const kind = kinds.find(name => name === (node.expression as ts.Identifier).text)
  if (kind === undefined) return undefined
  const [text, values, context] = node.arguments
  return {
    node,
    kind,
    text: kind === 'translate' ? undefined : literalOf(text),
    context: literalOf(context),
    values: kind === 't' || kind === 'tr' ? valuesOf(values) : new Map(),
    isConstant: isConstant(node),
  }
}

function literalOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined
}

function valuesOf(node: ts.Node | undefined): Map<string, ts.Node> | undefined {
  if (node === undefined) return new Map()
  if (!ts.isObjectLiteralExpression(node)) return undefined
  const values = new Map<string, ts.Node>()
  for (const property of node.properties) {
    if (property.name === undefined) return undefined
    const name = (property.name as ts.Identifier).text
    if (ts.isShorthandPropertyAssignment(property)) values.set(name, property.name)
    else if (ts.isPropertyAssignment(property)) values.set(name, property.initializer)
    else return undefined
  }
  return values
}

function isConstant(node: ts.Node): boolean {
  for (let outer = node.parent; outer !== undefined; outer = outer.parent) {
    if (ts.isFunctionLike(outer)) return false
  }
  return true
}
