/** One curve: its name and its points, x first. */
export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** One small diagram; `limit` is drawn as a dashed line. */
export interface Panel {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly limit?: number;
}

const WIDTH = 420;
const HEIGHT = 240;
const MARGIN = { left: 56, right: 110, top: 32, bottom: 36 } as const;
const COLORS = ["#1f6feb", "#d1242f", "#1a7f37", "#8250df"];
const COLUMNS = 2;
const TICKS = 4;

/** Diagrams over the number of nodes, side by side, as the text of one SVG file. */
export function chart(panels: readonly Panel[]): string {
  const rows = Math.ceil(panels.length / COLUMNS);
  const drawn = panels.map((panel, index) => {
    const [x, y] = [(index % COLUMNS) * WIDTH, Math.floor(index / COLUMNS) * HEIGHT];
    return `<g transform="translate(${String(x)} ${String(y)})">${drawPanel(panel)}</g>`;
  });
  const size = `width="${String(WIDTH * COLUMNS)}" height="${String(HEIGHT * rows)}"`;
  const style = `font-family="sans-serif" font-size="11" fill="#24292f"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}><rect width="100%" height="100%" fill="white"/>${drawn.join("")}</svg>\n`;
}

function drawPanel({ title, curves, limit }: Panel): string {
  const points = curves.flatMap((curve) => curve.points);
  const maxX = Math.max(1, ...points.map(([x]) => x));
  const maxY = Math.max(...points.map(([, y]) => y), limit ?? 0, Number.MIN_VALUE) * 1.1;
  const [innerWidth, innerHeight] = [WIDTH - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const at = ([x, y]: readonly [number, number]): readonly [number, number] => {
    return [MARGIN.left + (x / maxX) * innerWidth, MARGIN.top + innerHeight - (y / maxY) * innerHeight];
  };
  const scale = { at, maxX, maxY };
  const limitLine = limit === undefined ? "" : line([at([0, limit]), at([maxX, limit])], `stroke="#6e7781" stroke-dasharray="4 3"`);
  const drawn = curves.map((curve, index) => drawCurve(curve, COLORS[index % COLORS.length] ?? "black", { at, index }));
  return [text([MARGIN.left, 18], title, `font-weight="bold"`), axes(scale), limitLine, ...drawn].join("");
}

interface Scale {
  readonly at: (point: readonly [number, number]) => readonly [number, number];
  readonly maxX: number;
  readonly maxY: number;
}

function axes({ at, maxX, maxY }: Scale): string {
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => index / TICKS);
  const horizontal = ticks.map((share) => {
    const [x, y] = at([0, share * maxY]);
    return line([[x, y], at([maxX, share * maxY])], `stroke="#d0d7de"`) + text([x - 6, y + 4], short(share * maxY), `text-anchor="end"`);
  });
  const vertical = ticks.map((share) => {
    const [x, y] = at([share * maxX, 0]);
    return text([x, y + 16], short(share * maxX), `text-anchor="middle"`);
  });
  return [...horizontal, ...vertical].join("");
}

function drawCurve({ name, points }: Curve, color: string, { at, index }: Pick<Scale, "at"> & { readonly index: number }): string {
  const placed = points.map(at);
  const dots = placed.map(([x, y]) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="${color}"/>`);
  const label = text([WIDTH - MARGIN.right + 10, MARGIN.top + 12 + index * 16], name, `fill="${color}"`);
  return [line(placed, `stroke="${color}" stroke-width="2"`), ...dots, label].join("");
}

function line(points: readonly (readonly [number, number])[], attributes: string): string {
  const path = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  return `<polyline points="${path}" fill="none" ${attributes}/>`;
}

function text([x, y]: readonly [number, number], content: string, attributes: string): string {
  const safe = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${safe}</text>`;
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2);
}
