/* One work-item renders one pixel of the Mandelbrot set from SAMPLES x SAMPLES points. Each point is iterated
 * in double precision together with its derivative: the direction of z / z' is the slope of the potential
 * around the set, and lit from the side it makes the filaments stand out like embossed metal. */

#ifndef SAMPLES
#define SAMPLES 2
#endif

#define BAILOUT 1.0e5

typedef struct {
    double centre_x, centre_y;
    double pixel;           /* width of a pixel in the plane */
    int width, height;      /* of the picture, in pixels */
    int limit;              /* iterations after which a point counts as inside */
    int colours;            /* entries of the palette */
    float cycle, phase;     /* colours pass once for each factor e^cycle of iterations */
    float light_x, light_y; /* direction of the light, of length 1 */
} View;

/* A closed loop through the colours of the palette; t wraps around at 1. */
static float3 colour(__constant float4 *palette, int colours, float t)
{
    float place = (t - floor(t)) * (float)colours;
    int left = min((int)place, colours - 1);
    int right = left + 1 == colours ? 0 : left + 1;
    float weight = place - (float)left;
    weight = weight * weight * (3.0f - 2.0f * weight);
    return mix(palette[left].xyz, palette[right].xyz, weight);
}

/* The light that the point (cx, cy) of the plane sends out. */
static float3 shade(double cx, double cy, View view, __constant float4 *palette)
{
    double x = 0.0, y = 0.0, dx = 0.0, dy = 0.0, xx = 0.0, yy = 0.0;
    int n = 0;
    while (n < view.limit && xx + yy < BAILOUT) {
        double next_dx = 2.0 * (x * dx - y * dy) + 1.0;
        dy = 2.0 * (x * dy + y * dx);
        dx = next_dx;
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        n++;
    }
    if (n == view.limit)
        return (float3)(0.0f);

    /* A count without steps: how far beyond the bail-out radius the last iteration went. */
    float smooth = (float)n + 1.0f - log2(0.5f * log((float)(xx + yy)));
    float3 base = colour(palette, view.colours, view.phase + log(smooth) / view.cycle);

    /* (x + iy) / (dx + idy), turned to length 1: the slope; the scale keeps it within the range of float. */
    double scale = 1.0 / (fabs(dx) + fabs(dy));
    float ux = (float)((x * dx + y * dy) * scale), uy = (float)((y * dx - x * dy) * scale);
    float height = 1.4f;
    float facing = (ux * view.light_x + uy * view.light_y) * rsqrt(ux * ux + uy * uy);
    float light = max((facing + height) / (1.0f + height), 0.0f);
    float gloss = light * light;
    gloss *= gloss;
    gloss *= gloss;
    return base * (0.25f + 0.8f * light) + 0.4f * gloss * gloss * (base + 0.08f);
}

__kernel void mandelbrot(__global uchar4 *picture, __constant float4 *palette, View view)
{
    int column = (int)get_global_id(0), row = (int)get_global_id(1);
    double left = view.centre_x + view.pixel * ((double)column - 0.5 * (double)view.width);
    double top = view.centre_y - view.pixel * ((double)row - 0.5 * (double)view.height);

    float3 sum = (float3)(0.0f);
    for (int j = 0; j < SAMPLES; j++)
        for (int i = 0; i < SAMPLES; i++) {
            /* Samples of a row are shifted against those of the next, so that no two share a column. */
            double right = ((double)i + ((double)j + 0.5) / SAMPLES) / SAMPLES;
            double down = ((double)j + ((double)i + 0.5) / SAMPLES) / SAMPLES;
            sum += shade(left + view.pixel * right, top - view.pixel * down, view, palette);
        }

    float3 linear = clamp(sum / (float)(SAMPLES * SAMPLES), 0.0f, 1.0f);
    float3 encoded = select(1.055f * pow(linear, (float3)(1.0f / 2.4f)) - 0.055f, 12.92f * linear,
                            isless(linear, (float3)(0.0031308f)));
    picture[row * view.width + column] = (uchar4)(convert_uchar3_rte(255.0f * encoded), 255);
}
