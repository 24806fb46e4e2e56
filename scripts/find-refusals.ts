// Finds every refusal in the source with the compiler's help: who builds an AppError, and who builds a detail of one.
import path from 'node:path'
import ts from 'typescript'
import { calls, nameOf, readSource } from './read-source.ts'

/** `detail` is undefined where a refusal has none, and `status` where a line of an import is refused, not a request. */
export type Refusal = {
  status: number | undefined
  code: string
  detail: string | undefined
  message: string
  file: string
}

/** The builders of src/vocabulary/errors.ts, and what they answer. */
const BUILDERS: Record<string, [status: number, code: string]> = {
  badRequest: [400, 'BAD_REQUEST'],
  unauthenticated: [401, 'UNAUTHENTICATED'],
  forbidden: [403, 'FORBIDDEN'],
  notFound: [404, 'NOT_FOUND'],
  conflict: [409, 'CONFLICT'],
  preconditionFailed: [412, 'PRECONDITION_FAILED'],
  payloadTooLarge: [413, 'PAYLOAD_TOO_LARGE'],
  invalid: [422, 'VALIDATION_FAILED'],
  invalidFields: [422, 'VALIDATION_FAILED'],
  rateLimited: [429, 'RATE_LIMITED'],
  providerFailed: [502, 'PROVIDER_FAILED'],
  providerNotConfigured: [503, 'PROVIDER_NOT_CONFIGURED'],
  unavailable: [503, 'UNAVAILABLE'],
}
const STATUS_OF = new Map(Object.values(BUILDERS).map(([status, code]) => [code, status]))
const HOME = 'src/vocabulary/errors.ts'
/** Examples of the API reference, not refusals. */
const NOT_REFUSALS = new Set(['src/platform/http/openapi.ts'])
const CODE = /^[A-Z][A-Z_]+$/

export function findRefusals(root: string): { refusals: Refusal[]; unresolved: string[] } {
  const files = ts.sys.readDirectory(path.join(root, 'src'), ['.ts']).filter((file) => !file.endsWith('.test.ts'))
  const program = readSource(root, files)
  const checker = program.getTypeChecker()
  const refusals: Refusal[] = []
  const unresolved: string[] = []

  for (const source of program.getSourceFiles()) {
    const file = path.relative(root, source.fileName)
    if (!file.startsWith('src/') || NOT_REFUSALS.has(file)) continue
    const visit = (node: ts.Node) => {
      look(node, file)
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return { refusals, unresolved }

  function look(node: ts.Node, file: string) {
    if (ts.isNewExpression(node) && node.expression.getText() === 'AppError') return lookAtAppError(node, file)
    if (ts.isObjectLiteralExpression(node)) return lookAtDetail(node, file)
    if (!ts.isCallExpression(node)) return
    const name = node.expression.getText()
    if (node.arguments.length < 3 && !(name in BUILDERS)) return // most calls: asking the compiler takes time
    const names = checker.getResolvedSignature(node)?.parameters.map((parameter) => parameter.name) ?? []
    const [error, message] = [names.indexOf('error'), names.indexOf('message')]
    const [code, text] = [node.arguments[error], node.arguments[message]]
    // By the names of their parameters: invalid, conflict, and the `wrong` and `report` of those who gather details.
    if (error > 0 && message === error + 1 && code && text) return addDetail(node, file, code, text)
    const builder = BUILDERS[name]
    if (!builder || name === 'invalidFields' || file === HOME) return
    const [status, top] = builder
    const [, second] = node.arguments
    if (name === 'badRequest' && second && !isEmptyArray(second)) return // found by its details
    for (const text of messagesOf(node)) refusals.push({ status, code: top, detail: undefined, message: text, file })
  }

  function lookAtAppError(node: ts.NewExpression, file: string) {
    const [status, code, message, details] = node.arguments ?? []
    if (!status || !code || !message || isBuilder(node, file)) return
    if (details && !isEmptyArray(details)) return // it is found by its details
    const codes = valuesOf(code)
    const statuses = Array.isArray(codes) && codes.map((each) => STATUS_OF.get(each) ?? Number(status.getText()))
    if (!statuses || statuses.some(Number.isNaN)) return refuse(node, file)
    for (const [index, each] of codes.entries()) add(file, statuses[index], each, undefined, message)
  }

  function refuse(node: ts.Node, file: string) {
    unresolved.push(`${file}:${lineOf(node)} ${node.getText().split('\n')[0]}`)
  }

  function lookAtDetail(node: ts.ObjectLiteralExpression, file: string) {
    const property = (name: string) => {
      const found = node.properties.find((each) => each.name?.getText() === name)
      if (!found) return undefined
      return ts.isPropertyAssignment(found) ? found.initializer : (found.name as ts.Expression)
    }
    const [error, message] = [property('error'), property('message')]
    if (error && message && !error.getText().startsWith('Type.')) addDetail(node, file, error, message)
  }

  function addDetail(node: ts.Node, file: string, code: ts.Expression, message: ts.Expression) {
    if (file === HOME) return
    const codes = valuesOf(code)
    if (codes === 'passed on') return // where it comes from is found as well
    if (!codes?.length || !codes.every((each) => CODE.test(each))) return refuse(node, file)
    const [status, top] = builderOf(node, file)
    for (const each of codes) add(file, status, top, each, message)
  }

  function add(
    file: string,
    status: number | undefined,
    code: string,
    detail: string | undefined,
    message: ts.Expression,
  ) {
    for (const text of templates(message)) refusals.push({ status, code, detail, message: text, file })
  }

  /** What a call of a builder says: the builder's own text, with what it is called with put in. */
  function messagesOf(call: ts.CallExpression): string[] {
    const declaration = checker.getResolvedSignature(call)?.getDeclaration()
    const built = declaration && ts.isArrowFunction(declaration) ? declaration.body : undefined
    const message = built && ts.isNewExpression(built) ? built.arguments?.[2] : undefined
    if (!declaration || !message) return []
    const given = new Map(
      declaration.parameters.flatMap(({ name, initializer }, index): [string, string[]][] => {
        const value = call.arguments[index] ?? initializer
        return value ? [[`<${name.getText()}>`, templates(value)]] : []
      }),
    )
    const told = templates(message)
    const template = told.find((text) => !/^<\w+>$/.test(text) || given.has(text)) ?? ''
    const name = [...given.keys()].find((key) => template.includes(key))
    return name ? (given.get(name) ?? []).map((text) => template.replace(name, () => text)) : [template]
  }

  /** The builder that makes an answer of this detail: around it, or at the end of the function that gathers it. */
  function builderOf(node: ts.Node, file: string): [number | undefined, string] {
    for (let at: ts.Node = node; at.parent; at = at.parent) {
      const name = ts.isCallExpression(at) ? at.expression.getText() : ''
      if (BUILDERS[name]) return BUILDERS[name]
      if (!ts.isFunctionLike(at)) continue
      const makers = [...calls(at)].filter((call) => call.expression.getText() in BUILDERS)
      const gathers = makers.find((call) => call.arguments.some((each) => each.getText() === 'details'))
      const builder = gathers && BUILDERS[gathers.expression.getText()]
      if (builder) return builder
    }
    // A line of a file is refused alone: its detail is listed, and no request fails.
    if (/import-(products|subscribers)\.ts$|uploads\.ts$/.test(file)) return [undefined, 'a line of an import']
    return [422, 'VALIDATION_FAILED']
  }

  /** What an expression may be, if it can be told; or that it was given to the function around it. */
  function valuesOf(node: ts.Expression): string[] | 'passed on' | undefined {
    if (ts.isStringLiteralLike(node)) return [node.text]
    if (ts.isConditionalExpression(node)) return both(valuesOf(node.whenTrue), valuesOf(node.whenFalse))
    if (ts.isBinaryExpression(node)) return both(valuesOf(node.left), valuesOf(node.right))
    if (ts.isElementAccessExpression(node)) return membersOf(node.expression)
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'error') return 'passed on'
    const type = checker.getTypeAtLocation(node)
    const types = type.isUnion() ? type.types : [type]
    if (types.every((each) => each.isStringLiteral())) return types.map((each) => each.value)
    const declaration = declarationOf(node)
    if (declaration && (ts.isParameter(declaration) || ts.isBindingElement(declaration))) return 'passed on'
    if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer)
      return valuesOf(declaration.initializer)
    return undefined
  }

  function membersOf(node: ts.Expression): string[] | undefined {
    const declaration = declarationOf(node)
    const value = declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined
    if (!value || !ts.isObjectLiteralExpression(value)) return undefined
    return value.properties.flatMap((each) => (ts.isPropertyAssignment(each) ? literal(each.initializer) : []))
  }

  function declarationOf(node: ts.Expression): ts.Declaration | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node)
    return symbol?.valueDeclaration
  }

  /** The message as people may read it, with what changes in angle brackets. */
  function templates(node: ts.Expression): string[] {
    if (ts.isConditionalExpression(node)) return [...templates(node.whenTrue), ...templates(node.whenFalse)]
    if (ts.isBinaryExpression(node) && node.operatorToken.getText() === '??')
      return [...templates(node.left), ...templates(node.right)]
    if (ts.isStringLiteralLike(node)) return [node.text]
    if (ts.isTemplateExpression(node)) return [node.head.text + node.templateSpans.map(spanOf).join('')]
    return [`<${nameOf(node)}>`]
  }

  function spanOf({ expression, literal: after }: ts.TemplateSpan): string {
    const type = checker.getTypeAtLocation(expression)
    const value = type.isStringLiteral() || type.isNumberLiteral() ? String(type.value) : `<${nameOf(expression)}>`
    return value + after.text
  }
}

const both = (left: string[] | string | undefined, right: string[] | string | undefined) =>
  Array.isArray(left) && Array.isArray(right) ? [...left, ...right] : Array.isArray(right) ? right : undefined

const literal = (node: ts.Expression) => (ts.isStringLiteralLike(node) ? node.text : node.getText())
/** One of those above: what it says is found where it is called. */
const isBuilder = (node: ts.Node, file: string) =>
  file === HOME && Object.keys(BUILDERS).includes(ts.findAncestor(node, ts.isVariableDeclaration)?.name.getText() ?? '')
const isEmptyArray = (node: ts.Expression) => ts.isArrayLiteralExpression(node) && node.elements.length === 0
const lineOf = (node: ts.Node) => node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1
